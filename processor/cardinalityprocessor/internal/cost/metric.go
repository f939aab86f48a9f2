// SPDX-License-Identifier: Apache-2.0

package cost

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// Metric is one metric of one service, over all resources. It is safe for concurrent use.
type Metric struct {
	table *Table
	gone  atomic.Bool
	size  atomic.Int64 // series by which metrics have room

	mu     sync.Mutex
	now    window
	before Estimate // of the previous window
}

// window counts what was observed since its start.
type window struct {
	streams    int
	series     distinctSeries // without the attributes that the plan removes
	attributes []*attribute
	crowded    bool // an attribute found no room
}

// attribute counts the values of an attribute of points, and the series without it.
type attribute struct {
	key     string
	removed plan.Removal
	last    int // the last stream that has it, by its number
	values  distinctValues
	without distinctSeries
	// first are the first values, and ids is how many of them look like ids.
	first []uint64
	ids   int
	// limited has the series if all values but the first ones were the same. It is empty while there are no others.
	limited distinctSeries
	others  bool

	samples []string
	hashes  []uint64 // of the values of samples
}

// Stream is the identity of a stream, and of the metric and the resource that have it.
type Stream struct {
	Seed   uint64
	Metric attrhash.Hash
	Series attrhash.Hash // of the attributes that the plan keeps
}

// Gone reports whether the table has forgotten the metric.
func (m *Metric) Gone() bool { return m.gone.Load() }

// Observe counts a stream and the values of its attributes. A stream must be observed once a window.
func (m *Metric) Observe(s Stream, attrs pcommon.Map, keys *plan.Keys) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Gone() {
		return
	}
	w := &m.now
	w.streams++
	series := s.Metric.Plus(s.Series).Lo
	for key, value := range attrs.All() {
		removed := keys.Removes(key)
		if removed == plan.RemovedInternal {
			continue
		}
		if a := w.attribute(key, removed); a != nil {
			seed := attrhash.Key(s.Seed, key)
			pair := attrhash.Value(seed, value).Lo
			a.last = w.streams
			a.sample(m.table, pair, value)
			a.add(w, seed, pair, series, value)
		}
	}
	for _, a := range w.attributes {
		if a.last != w.streams {
			a.addWithout(series, series)
		}
	}
	w.series.add(series)
}

// otherValue stands for the values that a limit refuses.
const otherValue = "other"

// attribute returns an attribute, or nil if there is no room for it. The streams before did not have a new one.
func (w *window) attribute(key string, removed plan.Removal) *attribute {
	for _, a := range w.attributes {
		if a.key == key {
			return a
		}
	}
	if len(w.attributes) == maxKeys || len(key) > maxKey {
		w.crowded = true
		return nil
	}
	a := &attribute{key: strings.Clone(key), removed: removed}
	if removed == plan.Kept {
		a.without = w.series.clone()
	}
	w.attributes = append(w.attributes, a)
	return a
}

// add counts a stream that has the attribute, with the hash of the attribute, which is a part of that of the series. Seed
// is that of the attribute's key.
func (a *attribute) add(w *window, seed, pair, series uint64, value pcommon.Value) {
	a.values.add(pair)
	known := slices.Contains(a.first, pair)
	refused := !known && len(a.first) == LimitedValues
	if !known && !refused {
		a.first = append(a.first, pair)
		if value.Type() == pcommon.ValueTypeStr && naming.LooksLikeID(value.Str()) {
			a.ids++
		}
	}
	if a.removed != plan.Kept {
		return
	}
	limited := series
	if refused {
		if !a.others {
			a.others, a.limited = true, w.series.clone()
		}
		limited = series - pair + attrhash.Text(seed, otherValue).Lo
	}
	a.addWithout(series-pair, limited)
}

// addWithout counts a series without the attribute, and the one with a value of it that a limit allows.
func (a *attribute) addWithout(without, limited uint64) {
	if a.removed != plan.Kept {
		return
	}
	a.without.add(without)
	if a.others {
		a.limited.add(limited)
	}
}

// sample keeps the value if it is one of the first different ones.
func (a *attribute) sample(t *Table, hash uint64, value pcommon.Value) {
	if len(a.hashes) == maxSamples || slices.Contains(a.hashes, hash) {
		return
	}
	a.hashes = append(a.hashes, hash)
	if text := naming.Beginning(t.Text(a.key, value), maxText); !slices.Contains(a.samples, text) {
		a.samples = append(a.samples, strings.Clone(text))
	}
}

// rotate begins a new window.
func (m *Metric) rotate() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.size.Store(int64(m.now.streams))
	m.before = m.now.estimate()
	m.gone.Store(m.now.streams == 0)
	m.now = window{}
}

// end ends a metric that the table has forgotten. A batch may still observe it.
func (m *Metric) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gone.Store(true)
	m.now = window{}
}
