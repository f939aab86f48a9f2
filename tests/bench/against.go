// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
)

const againstHead = `| load | profile | base, ns an item | new, ns an item | new of base | quartiles | base, peak RSS MiB | new, peak RSS MiB |
| --- | --- | ---: | ---: | ---: | :---: | ---: | ---: |
`

// measureAgainst compares two builds of ours in turn, as the agent and as the gateway, and with what no pack owns.
func (r runner) measureAgainst(ctx context.Context, w io.Writer, signals []string) error {
	loads, err := profileLoads(ctx)
	if err != nil {
		return err
	}
	unowned, err := unownedLoads(signals)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s\nbase: %s, new: %s\n\n%s", r, r.binaries[base], r.binaries[shipped], againstHead)
	var all []*comparison
	for _, l := range append(loads, unowned...) {
		if !l.isOf(signals) {
			continue
		}
		c, err := r.compare(ctx, trial{l, []pipeline{l.profile.in(base), l.profile}})
		if err != nil {
			return err
		}
		all = append(all, c)
		ratio := c.ratio(1, 0)
		fmt.Fprintf(w, "| %s | %s | %.0f | %.0f | %.3f | %.3f to %.3f | %d | %d |\n", l, l.profile.name,
			c.each(0, slice.cpuPerItem).median, c.each(1, slice.cpuPerItem).median,
			ratio.median, ratio.lower, ratio.upper, c.memory[0].peak>>20, c.memory[1].peak>>20)
	}
	sayDisturbances(w, all)
	return nil
}

// in returns the pipeline in another build.
func (p pipeline) in(b build) pipeline {
	p.build = b
	return p
}

// isOf reports whether the load is of one of the signals. Lines of files are logs.
func (l *profileLoad) isOf(signals []string) bool {
	signal := "logs"
	if requests, ok := l.requests(); ok {
		signal = requests.signal
	}
	return slices.Contains(signals, signal)
}
