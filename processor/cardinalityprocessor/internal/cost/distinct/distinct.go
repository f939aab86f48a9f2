// SPDX-License-Identifier: Apache-2.0

// Package distinct estimates how many distinct values were seen, from their hashes. Counts are exact while they are
// small. The bits of the hashes must be evenly distributed.
package distinct

import (
	"slices"

	"github.com/axiomhq/hyperloglog"
)

const (
	// valuesExactUpTo is the number of hashes up to which Values is exact.
	valuesExactUpTo = 32
	// valuesPrecision gives 2^8 registers of one byte, with a standard error of 6.5 %.
	valuesPrecision = 8
	// seriesExactUpTo is the number of hashes up to which Series is exact.
	seriesExactUpTo = 64
	// seriesPrecision gives 2^11 registers of one byte, with a standard error of 1.04/√2^11 = 2.3 %.
	seriesPrecision = 11
)

// Values counts the values of an attribute in at most 0.4 KiB. The zero Values is empty.
type Values struct{ counter }

// Add adds a hash.
func (v *Values) Add(hash uint64) { v.add(hash, valuesExactUpTo, valuesPrecision) }

// Series counts series in at most 2 KiB. The zero Series is empty.
type Series struct{ counter }

// Add adds a hash.
func (s *Series) Add(hash uint64) { s.add(hash, seriesExactUpTo, seriesPrecision) }

// Clone returns a copy.
func (s *Series) Clone() (c Series) {
	c.exact = slices.Clone(s.exact)
	if s.sketch != nil {
		c.sketch = s.sketch.Clone()
	}
	return c
}

// counter counts distinct hashes exactly while they are few, and by HyperLogLog when they are more.
type counter struct {
	exact  []uint64
	sketch *hyperloglog.Sketch
}

func (c *counter) add(hash uint64, most int, precision uint8) {
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

// Estimate returns the number of distinct hashes, and whether it is exact.
func (c *counter) Estimate() (n int, exact bool) {
	if c.sketch == nil {
		return len(c.exact), true
	}
	return int(c.sketch.Estimate()), false
}
