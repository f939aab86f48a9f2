package identity

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// Cache returns the identities of points after each other. Maps of one metric mostly have
// the same keys in the same order, and most of the values as well. So a comparison with the
// last map at the same position replaces hashes and look-ups, and another value only has to
// be exchanged in the sums. A Cache is not safe for concurrent use.
type Cache struct {
	seed  uint64
	last  []lastMap // by the rules and the length of a map
	large bool      // it has a key that is too long to be kept
}

// lastMap is what is known of the last map of one length that the same rules apply to.
type lastMap struct {
	keys    *plan.Keys
	entries []entry
	id      Point
	changed bool // the map at hand has other keys
	// overflow: one of the keys can make an overflow series, whose identity depends on more
	// than the keys.
	overflow bool
}

type entry struct {
	key  string
	text string // the last value, if it was a text that is not too long
	pair attrhash.Hash
	// The last value, if it was a number or a truth value.
	number uint64
	kind   pcommon.ValueType

	seed             uint64
	dropped, limited bool
}

const (
	// lengths is how many lengths of maps are told apart.
	lengths = 16
	// maxKeys bounds a map that is compared. One of hundreds of attributes is rare.
	maxKeys = 64
	// What a Cache may keep from one batch to the next at most.
	maxKeyBytes  = 256
	maxTextBytes = 64
)

// Begin readies the Cache for identities that have a seed.
func (c *Cache) Begin(seed uint64) {
	if c.seed != seed {
		*c = Cache{seed: seed}
	}
}

// End releases the memory that is too much to be kept for the next batch.
func (c *Cache) End() {
	if c.large {
		*c = Cache{seed: c.seed}
	}
}

// of returns what is known of maps of one length that the same rules apply to.
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

// Point returns what Of returns.
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

// put looks up what is known of a key that is not the last one at its position.
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

// setValue takes a value that is no text, or an empty one.
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
		kind = pcommon.ValueTypeEmpty // not to be compared
	}
	if kind == e.kind && number == e.number && kind != pcommon.ValueTypeEmpty {
		return
	}
	m.exchange(e, attrhash.Value(e.seed, value))
	e.text, e.number, e.kind = "", number, kind
}

// exchange puts another pair in the place of a key's last.
func (m *lastMap) exchange(e *entry, pair attrhash.Hash) {
	m.id.Stream = m.id.Stream.Minus(e.pair).Plus(pair)
	if !e.dropped {
		m.id.Series = m.id.Series.Minus(e.pair).Plus(pair)
	}
	e.pair = pair
}

// summarize sums up the keys once they have changed.
func (m *lastMap) summarize() {
	m.changed, m.overflow, m.id.Dropped, m.id.Limited = false, false, false, false
	for i := range m.entries {
		e := &m.entries[i]
		m.overflow = m.overflow || e.key == OverflowKey
		m.id.Dropped = m.id.Dropped || e.dropped
		m.id.Limited = m.id.Limited || e.limited && !e.dropped
	}
}

// Drop removes the attributes that have to go. The Cache mostly has the keys still.
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
