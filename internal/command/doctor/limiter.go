// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"slices"
	"time"
)

var isLimiter = isOf("memory_limiter")

const (
	// longestCheck is the longest interval at which memory_limiter kept the process alive in tests.
	longestCheck = time.Second
	// slowCheck is an interval at which the process was killed in tests.
	slowCheck = 5 * time.Second
)

// findNoLimiter skips pipelines that receive data from other pipelines only: no sender would retry refused
// data, and the earlier pipelines already refuse it.
func findNoLimiter(c *configuration, report reporter) {
	for _, p := range c.pipelines {
		takesIn := slices.ContainsFunc(p.receivers, func(d declared) bool { return d.section == receivers })
		if takesIn && !p.limited() {
			report(Warning, p.path(), "no memory_limiter in "+inPipelines, "put one first in the processors", p)
		}
	}
}

// limited reports whether a memory_limiter refuses the pipeline's data: its own, or, if it has no processors, that of
// each pipeline that its connectors pass the data to.
func (p *pipeline) limited() bool {
	if slices.ContainsFunc(p.processors, isLimiter) {
		return true
	}
	passes := !slices.ContainsFunc(p.exporters, func(d declared) bool { return !forwards(d) })
	return passes && len(p.processors) == 0 && len(p.next) > 0 &&
		!slices.ContainsFunc(p.next, func(to *pipeline) bool { return !slices.ContainsFunc(to.processors, isLimiter) })
}

func findLimiterNotFirst(c *configuration, report reporter) {
	for _, p := range c.pipelines {
		if at := slices.IndexFunc(p.processors, isLimiter); at > 0 {
			report(Warning, p.path(processors, p.processors[at].id.String()),
				fmt.Sprintf("%q comes after %q in %s", p.processors[at].id, p.processors[0].id, inPipelines),
				"put it first in the processors", p)
		}
	}
}

func findSlowLimiter(c *configuration, report reporter) {
	for _, d := range c.used(processors) {
		if !isLimiter(d) || isOpaque(d) {
			continue
		}
		interval := d.top().duration("check_interval")
		if interval > longestCheck {
			severity := Note
			if interval >= slowCheck {
				severity = Warning
			}
			report(severity, d.path("check_interval"),
				fmt.Sprintf("%q looks at the memory every %s", d.id, interval), "check_interval: 1s")
		}
	}
}
