package doctor

import (
	"fmt"
	"slices"
	"time"
)

var isLimiter = isOf("memory_limiter")

// longestCheck is the longest interval at which memory_limiter kept the process alive in tests.
const longestCheck = time.Second

// findNoLimiter skips pipelines that receive data from other pipelines only: no sender would retry refused
// data, and the earlier pipelines already refuse it.
func findNoLimiter(c *configuration, report reporter) {
	for _, p := range c.pipelines {
		takesIn := slices.ContainsFunc(p.receivers, func(d declared) bool { return d.section == receivers })
		if takesIn && !slices.ContainsFunc(p.processors, isLimiter) {
			report(Warning, p.path(), fmt.Sprintf("pipeline %q has no memory_limiter", p.id),
				"put one first in its processors")
		}
	}
}

func findLimiterNotFirst(c *configuration, report reporter) {
	for _, p := range c.pipelines {
		if at := slices.IndexFunc(p.processors, isLimiter); at > 0 {
			report(Warning, p.path(processors, p.processors[at].id.String()),
				fmt.Sprintf("%q comes after %q in pipeline %q", p.processors[at].id, p.processors[0].id, p.id),
				"put it first in the processors")
		}
	}
}

func findSlowLimiter(c *configuration, report reporter) {
	for _, d := range c.used(processors) {
		if !isLimiter(d) {
			continue
		}
		interval := d.top().duration("check_interval")
		if interval <= 0 || interval > longestCheck {
			report(Warning, d.path("check_interval"),
				fmt.Sprintf("%q looks at the memory every %s", d.id, interval), "check_interval: 1s")
		}
	}
}
