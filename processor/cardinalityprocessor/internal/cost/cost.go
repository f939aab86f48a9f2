// Package cost estimates which attributes make the series of a metric: how many values each has, and how many
// series would remain without it. It sees each stream once a window. The package may not know budgets or batches.
package cost

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/internal/distinct"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// The limits keep a Table below 32 MiB, whatever the names and values are. TestMemoryOfExplorer measures it.
const (
	// Least is the number of series from which on a metric is worth a look at its attributes.
	Least      = 32
	maxMetrics = 600
	maxKeys    = 16
	// maxSketches limits the sketches of 2 KiB. Metrics with more than 64 series have one for each attribute.
	maxSketches = 4096
	maxSamples  = 5
	maxText     = 64 // bytes of a sample; keys have at most maxKey
	maxKey      = 256
)

// Table has the metrics with many series. It is safe for concurrent use.
type Table struct {
	period   time.Duration
	sketches atomic.Int64
	full     atomic.Bool

	mu      sync.Mutex
	began   time.Time // of the window
	metrics map[name]*Metric
}

type name struct{ service, metric string }

// New returns an empty Table whose windows have a duration.
func New(window time.Duration, now time.Time) *Table {
	return &Table{period: window, began: now, metrics: map[name]*Metric{}}
}

// Window returns the start of the current window. Streams without a point since then are to be observed with
// their next one.
func (t *Table) Window() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.began
}

// Of returns the metric of a service, or nil if there is no room.
func (t *Table) Of(service, metric string) *Metric {
	if t.full.Load() {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	key := name{service, metric}
	m := t.metrics[key]
	if m == nil {
		if len(t.metrics) >= maxMetrics {
			t.full.Store(true)
			return nil
		}
		m = &Metric{table: t}
		t.metrics[key] = m
	}
	return m
}

// Rotate begins a new window if the current one is over. It forgets metrics without a stream in it.
func (t *Table) Rotate(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Sub(t.began) < t.period {
		return
	}
	t.began = now
	for key, m := range t.metrics {
		if m.rotate(); m.Gone() {
			delete(t.metrics, key)
		}
	}
	t.full.Store(false)
}

// room takes the room of a sketch, if there is some.
func (t *Table) room() bool {
	if t.sketches.Add(1) <= maxSketches {
		return true
	}
	t.sketches.Add(-1)
	return false
}

// Metric is one metric of one service, over all resources. It is safe for concurrent use.
type Metric struct {
	table *Table
	gone  atomic.Bool

	mu     sync.Mutex
	now    window
	before Estimate // of the previous window
}

// Gone reports whether the table has forgotten the metric.
func (m *Metric) Gone() bool { return m.gone.Load() }

// Estimate returns what is known of the metric: that of the current window or of the previous one, whichever has
// more series, so that the numbers do not drop when a window begins.
func (m *Metric) Estimate() Estimate {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.now.estimate(); e.Series >= m.before.Series {
		return e
	}
	return m.before
}

func (m *Metric) rotate() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.before = m.now.estimate()
	m.table.sketches.Add(-m.now.sketches())
	m.now = window{}
	m.gone.Store(m.before.Series == 0)
}

// Stream is the identity of a stream, and of the metric and the resource that have it.
type Stream struct {
	Seed   uint64
	Metric attrhash.Hash
	Series attrhash.Hash // of the attributes that the plan keeps
}

// window counts what was observed since its start.
type window struct {
	series distinct.Medium // without the attributes that the plan removes
	keys   []*attribute
}

type attribute struct {
	key     string
	removed plan.Removal
	values  distinct.Fine   // by which fixes are predicted
	without distinct.Medium // series without the attribute
	samples []string
}

func (w *window) sketches() (n int64) {
	count := func(m *distinct.Medium) {
		if m.Sketched() {
			n++
		}
	}
	count(&w.series)
	for _, a := range w.keys {
		count(&a.without)
	}
	return n
}
