// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// Cache computes the identities of points one after the other. The maps of a metric mostly
// have the same keys in the same order, and many of the same values. So the Cache compares
// each map with the last one of the same keys and length. Where a value differs, its hash
// replaces the last one in the sums. A Cache is not safe for concurrent use.
type Cache struct {
	seed  uint64
	last  []lastMap // by plan.Keys.Number and the length of a map
	large bool      // it has a key that is too long to be kept
}

// lastMap describes the last map of one length with the same plan.Keys.
type lastMap struct {
	keys     *plan.Keys
	entries  []entry
	id       Point
	changed  bool // the current map has other keys
	overflow bool // it has OverflowKey, so that the identity depends on more than the keys
}

type entry struct {
	key  string
	text string // the last value, if it was a string that is not too long
	pair attrhash.Hash
	// The last value, if it was a number or a bool.
	number uint64
	kind   pcommon.ValueType

	seed             uint64
	dropped, limited bool
}

const (
	// lengths is the number of lastMaps for each plan.Keys. Maps whose lengths have the
	// same remainder share one.
	lengths = 16
	// maxKeys is the length of the largest map that is compared. Larger ones are rare.
	maxKeys = 64
	// The longest key and value that a Cache keeps after a batch.
	maxKeyBytes  = 256
	maxTextBytes = 64
)

// Begin begins a batch. It clears the Cache if the seed has changed.
func (c *Cache) Begin(seed uint64) {
	if c.seed != seed {
		*c = Cache{seed: seed}
	}
}

// End ends a batch. It releases the memory if a key is long.
func (c *Cache) End() {
	if c.large {
		*c = Cache{seed: c.seed}
	}
}

// of returns the lastMap for keys and a length.
func (c *Cache) of(keys *plan.Keys, length int) *lastMap {
	i := keys.Number*lengths + length%lengths
	for i >= len(c.last) {
		c.last = append(c.last, lastMap{})
	}
	m := &c.last[i]
	if m.keys != keys {
		*m = lastMap{keys: keys}
	}
	for len(m.entries) > length {
		end := len(m.entries) - 1
		m.exchange(&m.entries[end], attrhash.Hash{})
		m.entries, m.changed = m.entries[:end], true
	}
	return m
}

// Point returns the same as Of.
func (c *Cache) Point(attrs pcommon.Map, keys *plan.Keys) Point {
	if attrs.Len() > maxKeys {
		return Of(c.seed, attrs, keys)
	}
	m := c.of(keys, attrs.Len())
	i := 0
	for key, value := range attrs.All() {
		if i >= len(m.entries) || m.entries[i].key != key {
			c.put(m, i, key)
		}
		e := &m.entries[i]
		switch text := value.Str(); {
		case text == "":
			m.setValue(e, value)
		case text != e.text:
			m.exchange(e, attrhash.Text(e.seed, text))
			e.text, e.kind = text, pcommon.ValueTypeStr
			if len(text) > maxTextBytes {
				e.text = ""
			}
		}
		i++
	}
	if m.changed {
		m.summarize()
	}
	if m.overflow {
		return Of(c.seed, attrs, keys)
	}
	return m.id
}

// put replaces the key at an index, which differs from the last map's.
func (c *Cache) put(m *lastMap, i int, key string) {
	e := entry{key: key, seed: attrhash.Key(c.seed, key), dropped: m.keys.Drops(key), limited: m.keys.Limits(key)}
	c.large = c.large || len(key) > maxKeyBytes
	m.changed = true
	if i == len(m.entries) {
		m.entries = append(m.entries, e)
		return
	}
	m.exchange(&m.entries[i], attrhash.Hash{})
	m.entries[i] = e
}

// setValue sets a value that is not a string, or is an empty one.
func (m *lastMap) setValue(e *entry, value pcommon.Value) {
	number, kind := uint64(0), value.Type()
	switch kind {
	case pcommon.ValueTypeInt:
		number = uint64(value.Int())
	case pcommon.ValueTypeDouble:
		number = math.Float64bits(value.Double())
	case pcommon.ValueTypeBool:
		if value.Bool() {
			number = 1
		}
	default:
		kind = pcommon.ValueTypeEmpty // values of other types are not compared
	}
	if kind == e.kind && number == e.number && kind != pcommon.ValueTypeEmpty {
		return
	}
	m.exchange(e, attrhash.Value(e.seed, value))
	e.text, e.number, e.kind = "", number, kind
}

// exchange replaces the hash of an entry in the sums.
func (m *lastMap) exchange(e *entry, pair attrhash.Hash) {
	m.id.Stream = m.id.Stream.Minus(e.pair).Plus(pair)
	if !e.dropped {
		m.id.Series = m.id.Series.Minus(e.pair).Plus(pair)
	}
	e.pair = pair
}

// summarize updates what depends on the keys after they have changed.
func (m *lastMap) summarize() {
	m.changed, m.overflow, m.id.Dropped, m.id.Limited = false, false, false, false
	for i := range m.entries {
		e := &m.entries[i]
		m.overflow = m.overflow || e.key == OverflowKey
		m.id.Dropped = m.id.Dropped || e.dropped
		m.id.Limited = m.id.Limited || e.limited && !e.dropped
	}
}

// Drop removes the attributes that keys.Drops reports. The Cache mostly knows them.
func (c *Cache) Drop(attrs pcommon.Map, keys *plan.Keys) {
	entries := c.of(keys, attrs.Len()).entries
	i := -1
	attrs.RemoveIf(func(key string, _ pcommon.Value) bool {
		i++
		if i < len(entries) && entries[i].key == key {
			return entries[i].dropped
		}
		return keys.Drops(key)
	})
}
