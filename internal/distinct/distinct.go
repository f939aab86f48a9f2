// Package distinct counts how many different things there are, by their hashes.
package distinct

import "github.com/axiomhq/hyperloglog"

const (
	// ExactUpTo is how many are counted exactly.
	ExactUpTo = 512
	// precision makes 2^11 registers of a byte, with a standard error of 1.04/√2^11 = 2.3 %.
	precision = 11
)

// Counter counts different hashes: exactly while they are few, then by HyperLogLog in 2 KiB.
// The zero value has none.
type Counter struct {
	exact  map[uint64]struct{}
	sketch *hyperloglog.Sketch
}

// Add adds a hash, whose bits must be spread evenly.
func (c *Counter) Add(hash uint64) {
	if c.sketch != nil {
		c.sketch.InsertHash(hash)
		return
	}
	if c.exact == nil {
		c.exact = map[uint64]struct{}{}
	}
	c.exact[hash] = struct{}{}
	if len(c.exact) <= ExactUpTo {
		return
	}
	// Not sparse: a sparse sketch grows past 2 KiB, and few are counted exactly anyway.
	c.sketch, _ = hyperloglog.NewSketch(precision, false) // fails only for a precision out of range
	for hash := range c.exact {
		c.sketch.InsertHash(hash)
	}
	c.exact = nil
}

// Estimate returns how many different hashes were added, and whether that is exact.
func (c *Counter) Estimate() (n int, exact bool) {
	if c.sketch == nil {
		return len(c.exact), true
	}
	return int(c.sketch.Estimate()), false
}
