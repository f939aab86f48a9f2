// SPDX-License-Identifier: Apache-2.0

// Package distinct estimates how many distinct values were seen, from their hashes.
package distinct

import "github.com/axiomhq/hyperloglog"

const (
	// ExactUpTo is the number of hashes up to which the count is exact.
	ExactUpTo = 512
	// precision gives 2^11 registers of one byte, with a standard error of 1.04/√2^11 = 2.3 %.
	precision = 11
)

// Counter counts distinct hashes: exactly up to ExactUpTo, above that by HyperLogLog in 2 KiB. The zero
// Counter is empty.
type Counter struct {
	exact  map[uint64]struct{}
	sketch *hyperloglog.Sketch
}

// Add adds a hash, and reports whether it is the first one of its value. Above ExactUpTo that is not known,
// and it returns false. The hash's bits must be evenly distributed.
func (c *Counter) Add(hash uint64) (first bool) {
	if c.sketch != nil {
		c.sketch.InsertHash(hash)
		return false
	}
	if c.exact == nil {
		c.exact = map[uint64]struct{}{}
	}
	before := len(c.exact)
	c.exact[hash] = struct{}{}
	if len(c.exact) <= ExactUpTo {
		return len(c.exact) > before
	}
	// Not sparse: a sparse sketch grows beyond 2 KiB, and small counts are exact anyway.
	c.sketch, _ = hyperloglog.NewSketch(precision, false) // the error means an invalid precision
	for hash := range c.exact {
		c.sketch.InsertHash(hash)
	}
	c.exact = nil
	return true
}

// Exact reports whether the count is exact.
func (c *Counter) Exact() bool { return c.sketch == nil }

// Estimate returns the number of distinct hashes, and whether it is exact.
func (c *Counter) Estimate() (n int, exact bool) {
	if c.sketch == nil {
		return len(c.exact), true
	}
	return int(c.sketch.Estimate()), false
}
