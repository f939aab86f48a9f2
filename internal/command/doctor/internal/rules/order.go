// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"slices"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/command/doctor/internal/facts"
)

// order are the rules on the processors of a pipeline.
var order = []Rule{
	{"no-memory-limiter", "With 256 MiB and the backend down, the process was killed for its memory.", findNoLimiter},
	{"memory-limiter-not-first", "Processors before the limiter use memory that it cannot refuse.", findLimiterNotFirst},
	{"memory-limiter-slow", "At 5 s the process was killed for its memory between two checks, even with GOMEMLIMIT.", findSlowLimiter},
	{"before-naming", "Limits, keys and links use the convention's names, which do not exist before naming.", findBeforeNaming},
	{"sampling-before-links", "Links lead to spans that sampling drops, and the index has only part of the spans.", findSamplingBeforeLinks},
}

var (
	isLimiter     = facts.IsOf("memory_limiter")
	isNaming      = facts.IsOf("naming")
	isNamed       = facts.IsOf("cardinality", "log_correlation", "span_link")
	isSampler     = facts.IsOf("tail_sampling", "probabilistic_sampler")
	isLinking     = facts.IsOf("span_link")
	isConformance = facts.IsOf("conformance")
)

const (
	// longestCheck is the longest interval at which memory_limiter kept the process alive in tests.
	longestCheck = time.Second
	// slowCheck is an interval at which the process was killed in tests.
	slowCheck = 5 * time.Second
)

// findNoLimiter skips pipelines that receive data from other pipelines only: no sender would retry refused
// data, and the earlier pipelines already refuse it.
func findNoLimiter(c *facts.Configuration, report reporter) {
	for _, p := range c.Pipelines {
		receives := slices.ContainsFunc(p.Receivers, func(r *facts.Component) bool { return r.Section == facts.Receivers })
		if receives && !isLimited(p) {
			report(Warning, p.Path(), "no memory_limiter in "+inPipelines, "put one first in the processors", p)
		}
	}
}

// isLimited reports whether a memory_limiter refuses the pipeline's data: its own, or, if it has no processors, that of
// each pipeline that its connectors pass the data to.
func isLimited(p *facts.Pipeline) bool {
	if slices.ContainsFunc(p.Processors, isLimiter) {
		return true
	}
	passes := !slices.ContainsFunc(p.Exporters, func(e *facts.Component) bool { return !facts.Forwards(e) })
	return passes && len(p.Processors) == 0 && len(p.Next) > 0 &&
		!slices.ContainsFunc(p.Next, func(to *facts.Pipeline) bool { return !slices.ContainsFunc(to.Processors, isLimiter) })
}

func findLimiterNotFirst(c *facts.Configuration, report reporter) {
	for _, p := range c.Pipelines {
		if at := slices.IndexFunc(p.Processors, isLimiter); at > 0 {
			report(Warning, p.Path(facts.Processors, p.Processors[at].ID.String()),
				fmt.Sprintf("%q comes after %q in %s", p.Processors[at].ID, p.Processors[0].ID, inPipelines),
				"put it first in the processors", p)
		}
	}
}

func findSlowLimiter(c *facts.Configuration, report reporter) {
	for _, limiter := range c.Used(facts.Processors) {
		interval := limiter.Settings().Duration("check_interval")
		if !isLimiter(limiter) || interval <= longestCheck {
			continue
		}
		severity := Note
		if interval >= slowCheck {
			severity = Warning
		}
		report(severity, limiter.Path("check_interval"), fmt.Sprintf("%q looks at the memory every %s", limiter.ID, interval), "check_interval: 1s")
	}
}

// findBeforeNaming reports the conformance connector as a note only, because a user may want to check the
// original names.
func findBeforeNaming(c *facts.Configuration, report reporter) {
	findBefore(c, isNamed, isNaming, func(p *facts.Pipeline, first, then *facts.Component) {
		report(Warning, p.Path(facts.Processors, first.ID.String()),
			fmt.Sprintf("%q in %s comes before %q, but needs its names", first.ID, inPipelines, then.ID),
			"put it after naming", p)
	})
	named := map[*facts.Pipeline]bool{}
	for _, p := range c.Pipelines {
		if slices.ContainsFunc(p.Processors, isNaming) {
			for _, reached := range p.Reach() {
				named[reached] = true
			}
		}
	}
	for _, p := range c.Pipelines {
		if at := slices.IndexFunc(p.Exporters, isConformance); at >= 0 && !named[p] {
			report(Note, p.Path(facts.Exporters, p.Exporters[at].ID.String()),
				fmt.Sprintf("%q checks %s without naming: its findings are about the original names", p.Exporters[at].ID, inPipelines),
				"put naming before it, unless you want to check the original names", p)
		}
	}
}

func findSamplingBeforeLinks(c *facts.Configuration, report reporter) {
	findBefore(c, isSampler, isLinking, func(p *facts.Pipeline, first, then *facts.Component) {
		report(Warning, p.Path(facts.Processors, first.ID.String()),
			fmt.Sprintf("%q in %s comes before %q", first.ID, inPipelines, then.ID), "put it after span_link", p)
	})
}

// findBefore calls found for each processor that comes before another one that should be first.
func findBefore(c *facts.Configuration, is, later func(*facts.Component) bool, found func(p *facts.Pipeline, first, then *facts.Component)) {
	for _, p := range c.Pipelines {
		for i, first := range p.Processors {
			if !is(first) {
				continue
			}
			behind := p.After(i)
			if at := slices.IndexFunc(behind, later); at >= 0 {
				found(p, first, behind[at])
			}
		}
	}
}
