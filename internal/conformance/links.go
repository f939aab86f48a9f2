// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"maps"
	"sync"
)

// LinkCounts connects the span_link processors of a collector with the conformance connector, which shows what they
// counted. It is safe for concurrent use. The zero value is empty.
type LinkCounts struct {
	mu    sync.Mutex
	unmet map[string]int64
}

// AddUnmet adds spans of a rule that waited in vain for the other stage.
func (c *LinkCounts) AddUnmet(rule string, spans int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unmet == nil {
		c.unmet = map[string]int64{}
	}
	c.unmet[rule] += spans
}

// Unmet returns the spans that waited in vain since the start, by rule.
func (c *LinkCounts) Unmet() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.unmet)
}
