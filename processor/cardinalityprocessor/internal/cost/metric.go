// SPDX-License-Identifier: Apache-2.0

package cost

import (
	"sync"
	"sync/atomic"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

// Metric is one metric of one service, over all resources. It is safe for concurrent use.
type Metric struct {
	table *Table
	gone  atomic.Bool
	// turn changes when all streams are to be observed again with their next points.
	turn atomic.Uint32
	// size is the number of streams that were observed in the window, and was that of the window before or the
	// number of series that it was found with.
	size, was atomic.Int64
	sketches  atomic.Int64
	starved   atomic.Bool // there was no room for a sketch

	mu        sync.Mutex
	now       window
	before    Estimate // of the previous window, or of this one before it began again
	set       []string // attributes that are removed together, to see what remains
	resources []*ofResource
}

// Gone reports whether the table has forgotten the metric.
func (m *Metric) Gone() bool { return m.gone.Load() }

// Turn returns a number that changes when all streams are to be observed again with their next points.
func (m *Metric) Turn() uint32 { return m.turn.Load() }

// worth returns the number of streams by which metrics have room.
func (m *Metric) worth() int64 { return max(m.size.Load(), m.was.Load()) }

func (m *Metric) grow(series int64) {
	if series > m.was.Load() {
		m.was.Store(series)
	}
}

// room takes the room of a sketch, if there is some.
func (m *Metric) room() bool {
	if m.table.sketches.Add(1) <= maxSketches {
		m.sketches.Add(1)
		return true
	}
	m.table.sketches.Add(-1)
	m.starved.Store(true)
	return false
}

// clear begins an empty window. Attributes that vary have their counts from its start: all of them, or those that
// came.
func (m *Metric) clear(all bool) {
	m.table.sketches.Add(-m.sketches.Swap(0))
	m.starved.Store(false)
	m.size.Store(0)
	next := newWindow()
	for _, a := range m.now.keys {
		if a.counts != nil && (all || a.round > 0) {
			next.varying++
			next.keys = append(next.keys, &attribute{key: a.key, removed: a.removed, counts: &counts{}})
		}
	}
	if m.now.resource.counts != nil {
		next.resource.counts = &counts{}
	}
	if len(m.set) > 0 {
		next.set = &set{}
	}
	m.now = next
}

// restart begins the window again, with all streams. The metric must be locked.
func (m *Metric) restart() {
	m.was.Store(m.worth())
	m.before = m.best()
	m.clear(true)
	m.turn.Add(1)
}

// rotate begins a new window.
func (m *Metric) rotate() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.was.Store(m.size.Load())
	m.before = m.estimate()
	m.gone.Store(m.before.Streams == 0)
	m.clear(false)
	m.resources = nil
}

// end ends a metric that the table has forgotten. A batch may still observe it.
func (m *Metric) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gone.Store(true)
	m.set, m.resources, m.now = nil, nil, newWindow()
	m.clear(false)
}

// Stream is the identity of a stream, and of the metric and the resource that have it.
type Stream struct {
	Seed   uint64
	Metric attrhash.Hash
	Series attrhash.Hash // of the attributes that the plan keeps
}
