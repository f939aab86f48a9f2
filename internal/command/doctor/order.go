// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"slices"
)

var (
	isNaming  = isOf("naming")
	isNamed   = isOf("cardinality", "log_correlation", "span_link")
	isSampler = isOf("tail_sampling", "probabilistic_sampler")
	isLinking = isOf("span_link")
)

// findBeforeNaming reports the conformance connector as a note only, because a user may want to check the
// original names.
func findBeforeNaming(c *configuration, report reporter) {
	findBefore(c, isNamed, isNaming, func(p *pipeline, first, then declared) {
		report(Warning, p.path(processors, first.id.String()),
			fmt.Sprintf("%q in %s comes before %q, but needs its names", first.id, inPipelines, then.id),
			"put it after naming", p)
	})
	judged := map[*pipeline]bool{}
	for _, p := range c.pipelines {
		if slices.ContainsFunc(p.processors, isNaming) {
			for _, reached := range p.reach() {
				judged[reached] = true
			}
		}
	}
	for _, p := range c.pipelines {
		at := slices.IndexFunc(p.exporters, isOf("conformance"))
		if at >= 0 && !judged[p] {
			report(Note, p.path(exporters, p.exporters[at].id.String()),
				fmt.Sprintf("%q checks %s without naming: its findings are about the original names", p.exporters[at].id, inPipelines),
				"put naming before it, unless you want to check the original names", p)
		}
	}
}

func findSamplingBeforeLinks(c *configuration, report reporter) {
	findBefore(c, isSampler, isLinking, func(p *pipeline, first, then declared) {
		report(Warning, p.path(processors, first.id.String()),
			fmt.Sprintf("%q in %s comes before %q", first.id, inPipelines, then.id), "put it after span_link", p)
	})
}

// findBefore calls found for each processor that comes before another one that should be first.
func findBefore(c *configuration, is, later func(declared) bool, found func(p *pipeline, first, then declared)) {
	for _, p := range c.pipelines {
		for i, first := range p.processors {
			if !is(first) {
				continue
			}
			behind := p.after(i)
			if at := slices.IndexFunc(behind, later); at >= 0 {
				found(p, first, behind[at])
			}
		}
	}
}
