// SPDX-License-Identifier: Apache-2.0

package cost

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// Observe counts a stream and the values of its attributes. To observe a stream twice changes nothing.
func (m *Metric) Observe(s Stream, attrs pcommon.Map, keys *plan.Keys) {
	m.table.prepare(m)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Gone() {
		return
	}
	for !m.observe(s, attrs, keys) {
		m.restart() // each time with an attribute more that varies
	}
	m.size.Add(1)
}

// observe reports false if the window has to begin again.
func (m *Metric) observe(s Stream, attrs pcommon.Map, keys *plan.Keys) bool {
	w := &m.now
	w.round++
	series := s.Metric.Plus(s.Series)
	if !m.count(&w.resource, w.round > 1, s.Metric, series.Lo, 0) {
		return false
	}
	together := series.Lo
	for key, value := range attrs.All() {
		removed := keys.Removes(key)
		if removed == plan.RemovedInternal {
			continue
		}
		a, known := w.attribute(key, removed)
		if a == nil {
			continue
		}
		seed := attrhash.Key(s.Seed, key)
		pair := attrhash.Value(seed, value)
		a.samples.add(m.table, key, pair.Lo, value)
		if !known && w.round > 1 { // the streams before did not have it
			m.begin(a, false)
		}
		if !m.count(a, known, pair, series.Lo, attrhash.Text(seed, otherValue).Lo) {
			return false
		}
		if w.set != nil && removed == plan.Kept && slices.Contains(m.set, key) {
			together -= pair.Lo
		}
	}
	for _, a := range w.keys {
		if a.round == w.round {
			continue
		}
		if a.counts == nil && !m.begin(a, true) {
			return false
		}
		if a.counts != nil {
			w.add(a, false, 0, series.Lo, series.Lo, 0, m.room)
		}
	}
	if w.set != nil {
		w.set.without.Add(together, m.room)
	}
	w.series.Add(series.Lo, m.room)
	return true
}

// otherValue stands for the values that a limit refuses.
const otherValue = "other"

// count counts the value of an attribute. It reports false if the window has to begin again.
func (m *Metric) count(a *attribute, known bool, pair attrhash.Hash, series, other uint64) bool {
	a.round = m.now.round
	switch {
	case a.counts != nil:
	case !known:
		a.value = pair.Lo
		return true
	case a.value == pair.Lo:
		return true
	case !m.begin(a, true):
		return false
	}
	if a.counts != nil {
		without := series - pair.Lo
		m.now.add(a, true, pair.Lo, series, without, without+other, m.room)
	}
	return true
}

// begin gives an attribute counts if there is room for them, because it varies. It reports false if the window has to
// begin again.
func (m *Metric) begin(a *attribute, came bool) bool {
	if m.now.varying == maxVarying && a != &m.now.resource {
		m.now.crowded, a.crowded = true, true
		return true
	}
	return m.now.begin(a, came, m.room)
}

// ObserveResource counts the values of the attributes of a resource that has the metric.
func (m *Metric) ObserveResource(seed uint64, attrs pcommon.Map) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, value := range attrs.All() {
		if len(key) > maxResourceKey {
			continue
		}
		at := slices.IndexFunc(m.resources, func(r *ofResource) bool { return r.key == key })
		if at < 0 {
			if len(m.resources) == maxResourceKeys {
				continue
			}
			at = len(m.resources)
			m.resources = append(m.resources, &ofResource{key: strings.Clone(key)})
		}
		m.resources[at].values.Add(attrhash.Value(attrhash.Key(seed, key), value).Lo)
	}
}
