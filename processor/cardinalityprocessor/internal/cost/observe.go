package cost

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// Observe counts a stream and the values of its attributes. To observe a stream twice changes nothing.
func (m *Metric) Observe(s Stream, attrs pcommon.Map, keys *plan.Keys) {
	m.mu.Lock()
	defer m.mu.Unlock()
	room := m.table.room
	m.now.series.Add(s.Metric.Plus(s.Series).Lo, room)
	for key, value := range attrs.All() {
		removed := keys.Removes(key)
		if removed == plan.RemovedInternal {
			continue
		}
		a := m.now.attribute(key, removed)
		if a == nil {
			continue
		}
		pair := attrhash.Value(attrhash.Key(s.Seed, key), value)
		a.values.Add(pair.Lo)
		a.sample(value)
		if removed == plan.Kept {
			a.without.Add(s.Metric.Plus(s.Series).Minus(pair).Lo, room)
		}
	}
}

// attribute returns the counts of a key, or nil if there is no room for it.
func (w *window) attribute(key string, removed plan.Removal) *attribute {
	for _, a := range w.keys {
		if a.key == key {
			return a
		}
	}
	if len(w.keys) == maxKeys || len(key) > maxKey {
		return nil
	}
	a := &attribute{key: strings.Clone(key), removed: removed}
	w.keys = append(w.keys, a)
	return a
}

// sample keeps the first different values.
func (a *attribute) sample(value pcommon.Value) {
	if len(a.samples) == maxSamples {
		return
	}
	text := value.Str()
	if value.Type() != pcommon.ValueTypeStr {
		text = value.AsString()
	}
	if text = naming.Beginning(text, maxText); !slices.Contains(a.samples, text) {
		a.samples = append(a.samples, strings.Clone(text))
	}
}
