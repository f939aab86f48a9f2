// SPDX-License-Identifier: Apache-2.0

package cost

import (
	"slices"

	"github.com/axiomhq/hyperloglog"
)

const (
	// valuesExactUpTo is the number of hashes up to which distinctValues is exact.
	valuesExactUpTo = 32
	// valuesPrecision gives 2^8 registers of one byte, with a standard error of 6.5 %.
	valuesPrecision = 8
	// seriesExactUpTo is the number of hashes up to which distinctSeries is exact.
	seriesExactUpTo = 64
	// seriesPrecision gives 2^11 registers of one byte, with a standard error of 1.04/√2^11 = 2.3 %.
	seriesPrecision = 11
)

// distinctValues counts the values of an attribute in at most 0.4 KiB. The zero value is empty.
type distinctValues struct{ distinct }

func (v *distinctValues) add(hash uint64) { v.insert(hash, valuesExactUpTo, valuesPrecision) }

// distinctSeries counts series in at most 2 KiB. The zero value is empty.
type distinctSeries struct{ distinct }

func (s *distinctSeries) add(hash uint64) { s.insert(hash, seriesExactUpTo, seriesPrecision) }

func (s *distinctSeries) clone() (c distinctSeries) {
	c.exact = slices.Clone(s.exact)
	if s.sketch != nil {
		c.sketch = s.sketch.Clone()
	}
	return c
}

// distinct counts distinct hashes exactly while they are few, and by HyperLogLog when they are more. The bits of the
// hashes must be evenly distributed.
type distinct struct {
	exact  []uint64
	sketch *hyperloglog.Sketch
}

func (c *distinct) insert(hash uint64, most int, precision uint8) {
	switch {
	case c.sketch != nil:
		c.sketch.InsertHash(hash)
	case slices.Contains(c.exact, hash):
	case len(c.exact) < most:
		c.exact = append(c.exact, hash)
	default:
		// Not sparse: a sparse sketch grows beyond its registers, and small counts are exact anyway.
		c.sketch, _ = hyperloglog.NewSketch(precision, false) // the error means an invalid precision
		for _, h := range append(c.exact, hash) {
			c.sketch.InsertHash(h)
		}
		c.exact = nil
	}
}

// estimate returns the number of distinct hashes, and whether it is exact.
func (c *distinct) estimate() (n int, exact bool) {
	if c.sketch == nil {
		return len(c.exact), true
	}
	return int(c.sketch.Estimate()), false
}
