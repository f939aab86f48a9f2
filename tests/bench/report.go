package main

import (
	"fmt"
	"io"
	"strings"
)

const tableHead = `| load | pipeline | CPU ns an item | of the first | quartiles | items/s | peak RSS MiB | anonymous | file |
| --- | --- | ---: | ---: | :---: | ---: | ---: | ---: | ---: |
`

// rows writes a row of the table for each pipeline.
func (c *comparison) rows(w io.Writer) {
	for i, p := range c.pipelines {
		ratio, mem := c.ratio(i), c.memory[i]
		fmt.Fprintf(w, "| %s | %s | %.0f | %.2f | %.2f to %.2f | %.0f | %d | %d | %d |\n",
			c.load, p.name, c.each(i, slice.cpuPerItem).median, ratio.median, ratio.lower, ratio.upper,
			c.each(i, slice.itemsPerSecond).median, mem.peak>>20, mem.anon>>20, mem.file>>20)
	}
}

// each returns the quartiles over the rounds of one figure of one pipeline.
func (c *comparison) each(pipeline int, figure func(slice) float64) quartiles {
	var values []float64
	for _, s := range c.slices[pipeline] {
		values = append(values, figure(s))
	}
	return quartilesOf(values)
}

// ratio compares a pipeline with the first round by round, so that what slows a
// whole round down does not count.
func (c *comparison) ratio(pipeline int) quartiles {
	var ratios []float64
	for round, s := range c.slices[pipeline] {
		ratios = append(ratios, s.cpuPerItem()/c.slices[0][round].cpuPerItem())
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

// tooExpensive says where a median is above its pipeline's limit; nil when nowhere.
func tooExpensive(comparisons []*comparison) error {
	var over []string
	for _, c := range comparisons {
		for i, p := range c.pipelines {
			where := fmt.Sprintf("for %s, %s (%s)", p.name, c.load, c.gc.name)
			if ratio := c.ratio(i).median; p.maxRatio > 0 && ratio > p.maxRatio {
				over = append(over, fmt.Sprintf("%.3f of at most %.2f times the first %s", ratio, p.maxRatio, where))
			}
			if cpu := c.each(i, slice.cpuPerItem).median; p.maxCPU > 0 && cpu > float64(p.maxCPU) {
				over = append(over, fmt.Sprintf("%.0f ns of at most %d an item %s", cpu, p.maxCPU.Nanoseconds(), where))
			}
		}
	}
	if over == nil {
		return nil
	}
	return fmt.Errorf("--strict: a pipeline costs more than it may: %s", strings.Join(over, "; "))
}
