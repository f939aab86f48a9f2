// SPDX-License-Identifier: Apache-2.0

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
	marked  int // how many keys the marked map has; 0 if no map is marked
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
	c.marked = 0
	if i >= maxKeys || len(key) > maxKeyBytes || i > len(c.entries) {
		return nil
	}
	if i == len(c.entries) {
		c.entries = append(c.entries, entry[V]{})
	}
	c.entries[i].key = key
	return &c.entries[i].value
}

// Mark says that the values now also hold what the caller found out about the whole map. The caller has just asked
// for all keys of the map, and At returned a value for each.
func (c *Cache[V]) Mark(keys int) { c.marked = keys }

// IsMarked reports whether a map has the keys of the marked map, in the same order. The caller has just asked for all
// of its keys.
func (c *Cache[V]) IsMarked(keys int) bool { return keys > 0 && c.marked == keys }

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
