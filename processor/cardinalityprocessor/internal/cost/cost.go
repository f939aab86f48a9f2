// SPDX-License-Identifier: Apache-2.0

// Package cost estimates which attributes make the series of a metric: how many values each has, and how many
// series would remain without it. It sees each stream once a window. The package may not know budgets or batches.
package cost

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// The limits keep a Table below 32 MiB, whatever the names and values are: an attribute takes at most 5 KiB.
const (
	// Least is the number of series from which on a metric is worth a look at its attributes.
	Least       = 32
	maxMetrics  = 200
	maxKeys     = 24 // attributes of a metric
	maxCounters = 8192
	maxSamples  = 5
	maxText     = 64 // bytes of a sample; keys have at most maxKey
	maxKey      = 128
)

// better is how many times the series of another metric a metric must have to take its place.
const better = 2

// Table has the metrics with many series. It is safe for concurrent use.
type Table struct {
	// Text returns what may be seen of the value of an attribute. It must be set before the first stream comes.
	Text func(key string, value pcommon.Value) string

	period time.Duration
	seed   maphash.Seed
	// A metric with fewer series than better times this takes no place of another one. It only spares a search.
	least atomic.Int64

	mu       sync.Mutex
	began    time.Time // of the window
	metrics  map[name]*Metric
	counters map[uint64]*Counter
}

type name struct{ service, metric string }

// Counter counts the streams of a metric of a service in a window, over all of its resources.
type Counter struct{ n atomic.Int64 }

// Add adds streams and returns how many there are.
func (c *Counter) Add(n int) int { return int(c.n.Add(int64(n))) }

// New returns an empty Table whose windows have a duration.
func New(window time.Duration, now time.Time) *Table {
	return &Table{
		Text:   func(_ string, value pcommon.Value) string { return value.AsString() },
		period: window, began: now, seed: maphash.MakeSeed(), metrics: map[name]*Metric{}, counters: map[uint64]*Counter{},
	}
}

// Window returns the start of the current window. Streams without a point since then are to be observed with
// their next one.
func (t *Table) Window() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.began
}

// Counter returns the counter of a metric of a service in this window. It is nil if there is no room.
func (t *Table) Counter(service, metric string) *Counter {
	key := maphash.Comparable(t.seed, name{service, metric})
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.counters[key]
	if c == nil && len(t.counters) < maxCounters {
		c = &Counter{}
		t.counters[key] = c
	}
	return c
}

// Follow returns the metric of a service, which has a number of series. It is nil if there is no room: a metric takes
// the place of one with far fewer series only.
func (t *Table) Follow(service, metric string, series int) *Metric {
	if least := t.least.Load(); least > 0 && int64(series) < better*least {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	key := name{service, metric}
	m := t.metrics[key]
	if m == nil {
		if len(t.metrics) >= maxMetrics && !t.evict(int64(series)) {
			return nil
		}
		m = &Metric{table: t}
		t.metrics[key] = m
	}
	m.size.Store(max(m.size.Load(), int64(series)))
	return m
}

// evict removes the metric with the fewest series, if it has far fewer than a number. The table must be locked.
func (t *Table) evict(series int64) bool {
	var key name
	var smallest *Metric
	for k, m := range t.metrics {
		if smallest == nil || m.size.Load() < smallest.size.Load() {
			key, smallest = k, m
		}
	}
	t.least.Store(max(smallest.size.Load(), 1))
	if series < better*smallest.size.Load() {
		return false
	}
	delete(t.metrics, key)
	smallest.end()
	return true
}

// Rotate begins a new window if the current one is over. It forgets metrics without a stream in it.
func (t *Table) Rotate(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.least.Store(0)
	if now.Sub(t.began) < t.period {
		return
	}
	t.began = now
	clear(t.counters)
	for key, m := range t.metrics {
		if m.rotate(); m.Gone() {
			delete(t.metrics, key)
		}
	}
}
