// Package keycache remembers the decisions about the attribute keys of recent maps. Maps of one source
// mostly have the same keys in the same order, so a comparison at the same position replaces a look-up by
// key.
package keycache

import "go.opentelemetry.io/collector/pdata/pcommon"

// Limits of a cache. It does not store keys beyond them.
const (
	maxKeys     = 64
	maxKeyBytes = 256
)

// Cache holds the keys of the last map in their order, each with a value. The zero Cache is empty. It is
// not safe for concurrent use.
type Cache[V any] struct {
	entries []entry[V]
	settled int // the number of keys of the map that the values are settled for, or 0
}

type entry[V any] struct {
	key   string
	value V
}

// At returns the value for the key at position i of a map. If known is false, the entry had another key or
// none: the value is an earlier one or zero, and the caller must replace it. At returns nil for a key that
// cannot be stored. The caller asks for the positions of a map in ascending order.
func (c *Cache[V]) At(i int, key string) (value *V, known bool) {
	if i < len(c.entries) && c.entries[i].key == key {
		return &c.entries[i].value, true
	}
	return c.place(i, key), false
}

func (c *Cache[V]) place(i int, key string) *V {
	c.settled = 0
	if i >= maxKeys || len(key) > maxKeyBytes || i > len(c.entries) {
		return nil
	}
	if i == len(c.entries) {
		c.entries = append(c.entries, entry[V]{})
	}
	c.entries[i].key = key
	return &c.entries[i].value
}

// Settle says that the values also hold what the caller found out about the map as a whole. The map has just been
// asked for, all its keys, and could store them all.
func (c *Cache[V]) Settle(keys int) { c.settled = keys }

// Settled reports whether the values are settled for a map with so many keys. The map has just been asked for, all
// its keys: they are those of the map that was settled.
func (c *Cache[V]) Settled(keys int) bool { return keys > 0 && c.settled == keys }

// shapes is the number of caches of an owner.
const shapes = 64

// Set holds caches by owner and by the shape of maps, so alternating maps do not replace each other's
// keys. The zero Set is empty. It is not safe for concurrent use.
type Set[V any] struct{ owners []*[shapes]Cache[V] }

// Of returns the cache for a map of an owner. Owners are small numbers.
func (s *Set[V]) Of(owner int, attrs pcommon.Map) *Cache[V] {
	for owner >= len(s.owners) {
		s.owners = append(s.owners, nil)
	}
	if s.owners[owner] == nil {
		s.owners[owner] = new([shapes]Cache[V])
	}
	return &s.owners[owner][shapeOf(attrs)]
}

// shapeOf returns the shape of a map: it depends on its length and the lengths of its first keys.
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
