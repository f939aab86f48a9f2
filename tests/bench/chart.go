package main

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// chart is one of a plot: costs of an item, at sizes that are equally far apart.
type chart struct {
	title       string
	sizes       []string
	lines       []line
	logarithmic bool
}

// line is what one signal costs in stock pass-through or in ours.
type line struct {
	signal string
	ours   bool
	costs  []float64 // ns an item
}

// add adds the costs of the next size.
func (c *chart) add(signal string, stock, ours float64) {
	for _, of := range []struct {
		ours bool
		cost float64
	}{{false, stock}, {true, ours}} {
		i := slices.IndexFunc(c.lines, func(l line) bool { return l.signal == signal && l.ours == of.ours })
		if i < 0 {
			i = len(c.lines)
			c.lines = append(c.lines, line{signal: signal, ours: of.ours})
		}
		c.lines[i].costs = append(c.lines[i].costs, of.cost)
	}
}

// The plot's measures, in pixels: charts two in a row, each with room for its texts.
const (
	chartWidth, chartHeight = 360, 240
	left, right, top, below = 52, 16, 30, 42
	plotHead                = 34
)

// plotHeader has colours that can be told apart, in light and dark.
const plotHeader = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="11" role="img">
<title>CPU time an item as work grows</title>
<style>
  text { fill: #1f2328 } .grid { stroke: #d1d9e0 } path { fill: none; stroke-width: 2 } .stock { stroke-dasharray: 5 4; opacity: .75 }
  .metrics { stroke: #0969da } .traces { stroke: #bc4c00 } .logs { stroke: #1a7f37 } .title { font-weight: 600; font-size: 12px }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .grid { stroke: #3d444d }
    .metrics { stroke: #58a6ff } .traces { stroke: #f0883e } .logs { stroke: #3fb950 }
  }
</style>
`

// writePlot writes all charts as one SVG.
func writePlot(w io.Writer, charts []chart) {
	rows := (len(charts) + 1) / 2
	fmt.Fprintf(w, plotHeader, 2*chartWidth, plotHead+rows*chartHeight)
	x := left
	for _, l := range []line{{signal: "metrics", ours: true}, {signal: "traces", ours: true}, {signal: "logs", ours: true}, {signal: "metrics"}} {
		name := "ours, " + l.signal
		if !l.ours {
			name = "stock pass-through, in the same colours"
		}
		fmt.Fprintf(w, "<path class=%q d=\"M%d 16h28\"/><text x=\"%d\" y=\"20\">%s</text>\n", l.class(), x, x+34, name)
		x += 130
	}
	for i, c := range charts {
		c.write(w, i%2*chartWidth, plotHead+i/2*chartHeight)
	}
	fmt.Fprintln(w, "</svg>")
}

func (l line) class() string {
	if l.ours {
		return l.signal
	}
	return l.signal + " stock"
}

func (c *chart) write(w io.Writer, x, y int) {
	fmt.Fprintf(w, "<g transform=\"translate(%d %d)\">\n<text class=\"title\" x=\"%d\" y=\"16\">%s</text>\n", x, y, left, c.title)
	marks := c.gridMarks()
	for _, cost := range marks {
		at := c.height(cost, marks)
		fmt.Fprintf(w, "<path class=\"grid\" style=\"stroke-width:1\" d=\"M%d %.1fh%d\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			left, at, chartWidth-left-right, left-6, at+4, microseconds(cost))
	}
	for i, size := range c.sizes {
		fmt.Fprintf(w, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", c.across(i), chartHeight-below+18, size)
	}
	for _, l := range c.lines {
		fmt.Fprintf(w, "<path class=%q d=\"", l.class())
		for i, cost := range l.costs {
			fmt.Fprintf(w, "%c%.1f %.1f", "ML"[min(i, 1)], c.across(i), c.height(cost, marks))
		}
		fmt.Fprintln(w, "\"/>")
	}
	fmt.Fprintln(w, "</g>")
}

// across is where the nth size is.
func (c *chart) across(n int) float64 {
	width := float64(chartWidth-left-right) / float64(len(c.sizes))
	return left + width*(float64(n)+0.5)
}

// height is where a cost is, between the lowest mark and the highest.
func (c *chart) height(cost float64, marks []float64) float64 {
	lowest, highest := marks[0], marks[len(marks)-1]
	part := (cost - lowest) / (highest - lowest)
	if c.logarithmic {
		part = math.Log(cost/lowest) / math.Log(highest/lowest)
	}
	return top + (1-part)*(chartHeight-top-below)
}

// gridMarks are round costs that all lines lie between.
func (c *chart) gridMarks() (marks []float64) {
	lowest, highest := math.Inf(1), 0.
	for _, l := range c.lines {
		lowest, highest = min(lowest, slices.Min(l.costs)), max(highest, slices.Max(l.costs))
	}
	if c.logarithmic {
		for cost := math.Pow(10, math.Floor(math.Log10(lowest))); ; cost *= 10 {
			marks = append(marks, cost)
			if cost >= highest {
				return marks
			}
		}
	}
	const about = 4
	apart := math.Pow(10, math.Floor(math.Log10(highest/about)))
	for _, factor := range []float64{1, 2, 5, 10} {
		if highest/(apart*factor) <= about+1 {
			apart *= factor
			break
		}
	}
	for cost := 0.; ; cost += apart {
		marks = append(marks, cost)
		if cost >= highest {
			return marks
		}
	}
}

func microseconds(ns float64) string { return fmt.Sprintf("%g µs", math.Round(ns/10)/100) }
