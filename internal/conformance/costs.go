// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"sync"
	"sync/atomic"
	"time"
)

// CostSource knows what series cost: it is a cardinality processor.
type CostSource interface {
	// Costs returns what the source knows of metrics, after a time since the last call.
	Costs(since time.Duration) []Cost
}

// CostSources connects the cardinality processors of a collector with the conformance connector, which shows what
// they know. It is safe for concurrent use. The zero value is empty.
type CostSources struct {
	wanted atomic.Bool

	mu      sync.Mutex
	sources []CostSource
}

// Add adds a source.
func (c *CostSources) Add(s CostSource) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sources = append(c.sources, s)
}

// Wanted reports whether there is a reader. If not, sources need not know anything.
func (c *CostSources) Wanted() bool { return c.wanted.Load() }

// Claim makes the caller the only reader, or returns false if there is one already: points and bytes since the
// last call must go to one reader.
func (c *CostSources) Claim() bool { return c.wanted.CompareAndSwap(false, true) }

// Release ends what Claim began.
func (c *CostSources) Release() { c.wanted.Store(false) }

// Costs returns the metrics of all sources, and whether there is a source.
func (c *CostSources) Costs(since time.Duration) (all []Cost, shared bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sources {
		all = append(all, s.Costs(since)...)
	}
	return all, len(c.sources) > 0
}
