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

// findBeforeNaming only notes conformance, which may be meant to judge what comes in.
func findBeforeNaming(c *configuration, report reporter) {
	findBefore(c, isNamed, isNaming, func(p *pipeline, first, then declared) {
		report(Warning, p.path(processors, first.id.String()),
			fmt.Sprintf("%q in pipeline %q comes before %q, whose names it goes by", first.id, p.id, then.id),
			"put it behind naming")
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
				fmt.Sprintf("%q judges pipeline %q, which has no naming: its findings are of names as they come in", p.exporters[at].id, p.id),
				"put naming before it, unless this is what you want to know")
		}
	}
}

func findSamplingBeforeLinks(c *configuration, report reporter) {
	findBefore(c, isSampler, isLinking, func(p *pipeline, first, then declared) {
		report(Warning, p.path(processors, first.id.String()),
			fmt.Sprintf("%q in pipeline %q comes before %q", first.id, p.id, then.id), "put it behind span_link")
	})
}

// findBefore calls found for each processor that data pass before one that they should pass
// first.
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
