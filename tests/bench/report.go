// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"
)

const tableHead = `| load | pipeline | CPU ns an item | of the first | quartiles | at most | items/s | in to out | hits | peak RSS MiB | anonymous | mapped |
| --- | --- | ---: | ---: | :---: | :---: | ---: | ---: | ---: | ---: | ---: | ---: |
`

// rows writes a row of the table for each pipeline.
func (c *comparison) rows(w io.Writer) {
	for i, p := range c.pipelines {
		ratio, mem := c.ratio(i, 0), c.memory[i]
		fmt.Fprintf(w, "| %s | %s | %.0f | %.2f | %.2f to %.2f | %s | %.0f | %s | %s | %d | %d | %d |\n",
			c.load, p, c.each(i, slice.cpuPerItem).median, ratio.median, ratio.lower, ratio.upper, c.verdict(i),
			c.each(i, slice.itemsPerSecond).median, c.counts[i].mergeText(), c.counts[i].hitText(),
			mem.peak>>20, mem.anon>>20, mem.file>>20)
	}
}

func (c counts) mergeText() string {
	if c.out == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", c.merge())
}

func (c counts) hitText() string {
	if c.hits == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f %%", 100*c.hitRate())
}

// each returns the quartiles over the rounds of one figure of one pipeline.
func (c *comparison) each(pipeline int, figure func(slice) float64) quartiles {
	var values []float64
	for _, s := range c.slices[pipeline] {
		values = append(values, figure(s))
	}
	return quartilesOf(values)
}

// ratio compares a pipeline with another round by round, so that what slows a
// whole round down does not count.
func (c *comparison) ratio(pipeline, to int) quartiles {
	var ratios []float64
	for round, s := range c.slices[pipeline] {
		ratios = append(ratios, s.cpuPerItem()/c.slices[to][round].cpuPerItem())
	}
	return quartilesOf(ratios)
}

// disturbances counts the slices that were repeated because other processes
// disturbed them, and those that count in spite of it.
func disturbances(comparisons []*comparison) (repeated, left int) {
	for _, c := range comparisons {
		repeated += c.repeated
		for _, turns := range c.slices {
			for _, s := range turns {
				if s.disturbed() {
					left++
				}
			}
		}
	}
	return repeated, left
}

// excess returns the limits that a pipeline does not keep, and by how much; nil when it keeps all.
func (c *comparison) excess(i int) (over []string) {
	p := c.pipelines[i]
	if ratio := c.ratio(i, 0).median; p.maxRatio > 0 && ratio > p.maxRatio {
		over = append(over, fmt.Sprintf("%.3f of at most %.2f times the first", ratio, p.maxRatio))
	}
	if ratio := c.ratio(len(c.pipelines)-1, i).median; p.maxOurs > 0 && ratio > p.maxOurs {
		over = append(over, fmt.Sprintf("ours %.3f of at most %.2f times it", ratio, p.maxOurs))
	}
	if cpu := c.each(i, slice.cpuPerItem).median; p.maxCPU > 0 && cpu > float64(p.maxCPU) {
		over = append(over, fmt.Sprintf("%.0f ns of at most %d an item", cpu, p.maxCPU.Nanoseconds()))
	}
	return over
}

// verdict is a pipeline's limits, and whether it keeps them.
func (c *comparison) verdict(i int) string {
	p := c.pipelines[i]
	var limits []string
	if p.maxRatio > 0 {
		limits = append(limits, fmt.Sprintf("%.2f", p.maxRatio))
	}
	if p.maxOurs > 0 {
		limits = append(limits, fmt.Sprintf("%.2f", p.maxOurs))
	}
	if p.maxCPU > 0 {
		limits = append(limits, fmt.Sprintf("%d ns", p.maxCPU.Nanoseconds()))
	}
	switch {
	case limits == nil:
		return ""
	case c.excess(i) != nil:
		return strings.Join(limits, ", ") + ": **missed**"
	}
	return strings.Join(limits, ", ") + ": kept"
}

// gains is a table of what a user gets: each profile beside the stock pipelines that have a limit on its ratio to
// them, which are two.
func gains(comparisons []*comparison) string {
	var text strings.Builder
	text.WriteString("| load | profile | CPU µs an item | of stock, queue in memory | of stock, queue on disk | peak MiB |\n| --- | --- | ---: | ---: | ---: | ---: |\n")
	for _, c := range comparisons {
		ours := len(c.pipelines) - 1
		var ratios []any
		for i, p := range c.pipelines {
			if p.maxOurs > 0 {
				ratios = append(ratios, c.ratio(ours, i).median)
			}
		}
		if len(ratios) == 2 {
			fmt.Fprintf(&text, "| %s | `%s` | %.1f | %.2f | %.2f | %d |\n", append(append([]any{c.load, c.pipelines[ours].name,
				c.each(ours, slice.cpuPerItem).median / 1000}, ratios...), c.memory[ours].peak>>20)...)
		}
	}
	return text.String()
}

// missed lists the pipelines whose median is above their limit.
func missed(comparisons []*comparison) (over []string) {
	for _, c := range comparisons {
		for i, p := range c.pipelines {
			for _, much := range c.excess(i) {
				over = append(over, fmt.Sprintf("%s for %s, %s", much, p, c.load))
			}
		}
	}
	return over
}

// tooExpensive returns an error when a median is above its pipeline's limit.
func tooExpensive(comparisons []*comparison) error {
	if over := missed(comparisons); over != nil {
		return fmt.Errorf("--strict: a pipeline costs more than it may: %s", strings.Join(over, "; "))
	}
	return nil
}
