// SPDX-License-Identifier: Apache-2.0

package namecache

import "go.opentelemetry.io/collector/pdata/pcommon"

// maxKeys is the number of positions that Keys stores.
const maxKeys = 64

// Keys holds the attribute keys of the last map in their order, each with a value. Maps of one source mostly have the
// same keys in the same order, so a comparison at the same position replaces a look-up by key. The zero Keys is empty.
// It is not safe for concurrent use.
type Keys[V any] struct {
	entries []entry[V]
	whole   int // the number of keys of the map that SetWhole is about, or 0
}

type entry[V any] struct {
	key   string
	value V
}

// At returns the value for the key at position i of a map. If known is false, the entry had another key or
// none: the value is an earlier one or zero, and the caller must replace it. At returns nil for a key that
// cannot be stored. The caller asks for the positions of a map in ascending order.
func (k *Keys[V]) At(i int, key string) (value *V, known bool) {
	if i < len(k.entries) && k.entries[i].key == key {
		return &k.entries[i].value, true
	}
	return k.place(i, key), false
}

func (k *Keys[V]) place(i int, key string) *V {
	k.whole = 0
	if i >= maxKeys || len(key) > MaxLength || i > len(k.entries) {
		return nil
	}
	if i == len(k.entries) {
		k.entries = append(k.entries, entry[V]{})
	}
	k.entries[i].key = key
	return &k.entries[i].value
}

// SetWhole records that the values also hold what the caller found out about the map as a whole. The caller has just
// asked for all keys of the map, and At returned a value for each.
func (k *Keys[V]) SetWhole(keys int) { k.whole = keys }

// IsWhole reports whether a map has the keys of the map that SetWhole is about, in the same order. The caller has just
// asked for all of its keys.
func (k *Keys[V]) IsWhole(keys int) bool { return keys > 0 && k.whole == keys }

// shapes is the number of Keys of an owner.
const shapes = 64

// KeysByShape holds Keys by owner and by the shape of maps, so alternating maps do not replace each other's keys. The
// zero KeysByShape is empty. It is not safe for concurrent use.
type KeysByShape[V any] struct{ owners []*[shapes]Keys[V] }

// Of returns the Keys for a map of an owner. Owners are small numbers.
func (s *KeysByShape[V]) Of(owner int, attrs pcommon.Map) *Keys[V] {
	for owner >= len(s.owners) {
		s.owners = append(s.owners, nil)
	}
	if s.owners[owner] == nil {
		s.owners[owner] = new([shapes]Keys[V])
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
