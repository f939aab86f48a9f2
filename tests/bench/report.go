// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"
)

// tableHead is the head of what row writes, with more columns.
func tableHead(more ...string) string {
	columns := append([]string{
		"load", "pipeline", "CPU ns an item", "quartiles", "ours of it", "quartiles", "at most", "items/s", "peak RSS MiB",
	}, more...)
	return fmt.Sprintf("| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)))
}

// row writes a pipeline's row of a table, with more cells.
func (c *comparison) row(w io.Writer, i int, more ...string) {
	cpu, ratio := c.each(i, slice.cpuPerItem), c.ratio(len(c.pipelines)-1, i)
	fmt.Fprintf(w, "| %s | %s | %.0f | %.0f to %.0f | %.2f | %.2f to %.2f | %s | %.0f | %d | %s |\n", c.load, c.pipelines[i],
		cpu.median, cpu.lower, cpu.upper, ratio.median, ratio.lower, ratio.upper, c.verdict(i), c.each(i, slice.itemsPerSecond).median,
		c.memory[i].peak>>20, strings.Join(more, " | "))
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

// sayDisturbances writes how many slices were repeated because other processes
// disturbed them, and how many count in spite of it.
func sayDisturbances(w io.Writer, comparisons []*comparison) {
	repeated, left := 0, 0
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
	fmt.Fprintf(w, "\nOther processes disturbed %d slices, which were repeated, and %d that count.\n", repeated, left)
}

// verdict is the limit of ours to a pipeline, and whether it is kept.
func (c *comparison) verdict(i int) string {
	most := c.pipelines[i].maxOurs
	switch {
	case most == 0:
		return ""
	case c.ratio(len(c.pipelines)-1, i).median > most:
		return fmt.Sprintf("%.2f: **missed**", most)
	}
	return fmt.Sprintf("%.2f: kept", most)
}

// gains is a table of what a user gets: each profile beside those that only forward.
func gains(comparisons []*comparison) string {
	var text strings.Builder
	text.WriteString("| load | profile | CPU µs an item | of stock, our compression | of stock | of stock, queue on disk | of Rotel | peak MiB |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, c := range comparisons {
		ours := len(c.pipelines) - 1
		if ours != len(forwarding("profiles/stock_agent", atMost{})) {
			continue // lines, which nothing forwards
		}
		of := func(i int) float64 { return c.ratio(ours, i).median }
		fmt.Fprintf(&text, "| %s | `%s` | %.1f | %.2f | %.2f | %.2f | %.2f | %d |\n", c.load, c.pipelines[ours].name,
			c.each(ours, slice.cpuPerItem).median/1000, of(2), of(0), of(1), of(3), c.memory[ours].peak>>20)
	}
	return text.String()
}

// missed lists the limits that are not kept.
func missed(comparisons []*comparison) (over []string) {
	for _, c := range comparisons {
		for i, p := range c.pipelines {
			if ratio := c.ratio(len(c.pipelines)-1, i).median; p.maxOurs > 0 && ratio > p.maxOurs {
				over = append(over, fmt.Sprintf("ours costs %.3f, of at most %.2f, times %s for %s", ratio, p.maxOurs, p, c.load))
			}
		}
	}
	return over
}
