// Package keycache remembers what was decided for the attribute keys of recent maps.
// Maps of one source mostly have the same keys in the same order. One comparison at the
// same position then replaces a look-up by key.
package keycache

import "go.opentelemetry.io/collector/pdata/pcommon"

// The bounds of a cache. Keys beyond them have no place in it.
const (
	maxKeys     = 64
	maxKeyBytes = 256
)

// Cache holds the keys of the last map in their order, each with a value. The zero Cache
// is empty. It belongs to one goroutine.
type Cache[V any] struct{ entries []entry[V] }

type entry[V any] struct {
	key   string
	value V
}

// At returns the value of a map's key at position i. If known is false, the place had
// another key or none: the value is still the earlier one or zero, and the caller has to
// replace it. At returns nil for a key that has no place. The caller asks for the
// positions of a map in ascending order.
func (c *Cache[V]) At(i int, key string) (value *V, known bool) {
	if i < len(c.entries) && c.entries[i].key == key {
		return &c.entries[i].value, true
	}
	return c.place(i, key), false
}

func (c *Cache[V]) place(i int, key string) *V {
	if i >= maxKeys || len(key) > maxKeyBytes || i > len(c.entries) {
		return nil
	}
	if i == len(c.entries) {
		c.entries = append(c.entries, entry[V]{})
	}
	c.entries[i].key = key
	return &c.entries[i].value
}

// shapes is how many caches an owner has.
const shapes = 64

// Set holds caches by the owner and the shape of maps, so that maps which alternate do
// not replace each other's keys. The zero Set is empty. It belongs to one goroutine.
type Set[V any] struct{ owners []*[shapes]Cache[V] }

// Of returns the cache for a map of an owner, which is a small number.
func (s *Set[V]) Of(owner int, attrs pcommon.Map) *Cache[V] {
	for owner >= len(s.owners) {
		s.owners = append(s.owners, nil)
	}
	if s.owners[owner] == nil {
		s.owners[owner] = new([shapes]Cache[V])
	}
	return &s.owners[owner][shapeOf(attrs)]
}

// shapeOf tells maps apart by their length and the lengths of their first keys.
func shapeOf(attrs pcommon.Map) uint {
	const first = 3
	shape, seen := uint(attrs.Len()), 0
	for key := range attrs.All() {
		if seen == first {
			break
		}
		seen++
		shape = shape*5 + uint(len(key))
	}
	return shape % shapes
}
