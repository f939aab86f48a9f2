// SPDX-License-Identifier: Apache-2.0

package page

import "github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/labels"

// cost is the memory in bytes, estimated by measured constants, and an upper bound of the text
// in bytes, so that the page never exceeds its limit.
type cost struct{ memory, text int64 }

func (c *cost) add(o cost) { c.memory, c.text = c.memory+o.memory, c.text+o.text }

func (c *cost) sub(o cost) { c.memory, c.text = c.memory-o.memory, c.text-o.text }

// Shape describes the size of a sample.
type Shape struct {
	// Lines is the number of lines in the text format, and Native the number of native buckets.
	Lines, Native int
	Exemplars     int
	IsDelta       bool
}

const (
	familyMemory = 512
	// seriesMemory is the memory of a series with one number, with its place in the family.
	seriesMemory   = 640
	lineMemory     = 160
	nativeMemory   = 24
	exemplarMemory = 512
	deltaMemory    = 256

	// lineText is a suffix, a bucket's boundary or a quantile, a value, and separators.
	lineText     = 96
	nativeText   = 11 // in protobuf
	exemplarText = 160
	familyText   = 48
)

func familyCost(name, help int) cost {
	return cost{
		memory: familyMemory + int64(name+help),
		// Each byte of the help may need a backslash.
		text: familyText + 2*int64(name) + 2*int64(help),
	}
}

func seriesCost(name int, l *labels.Labels, shape Shape) cost {
	c := cost{memory: seriesMemory + int64(l.Memory) + int64(shape.Lines-1)*lineMemory + int64(shape.Native)*nativeMemory}
	if shape.IsDelta {
		c.memory += deltaMemory + int64(shape.Lines)*16 + int64(shape.Native)*8
	}
	exemplars := int64(min(shape.Exemplars, shape.Lines+maxNativeExemplars))
	c.memory += exemplars * exemplarMemory
	c.text = int64(shape.Lines)*(int64(name)+int64(l.Text)+lineText) + int64(shape.Native)*nativeText + exemplars*exemplarText
	return c
}

// maxNativeExemplars bounds the exemplars that have no line of their own.
const maxNativeExemplars = 10
