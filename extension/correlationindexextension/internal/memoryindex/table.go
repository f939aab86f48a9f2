// SPDX-License-Identifier: Apache-2.0

package memoryindex

import "github.com/otelcol-tc/otelcol-tc/internal/correlation"

// table is a hash table of the newest record of each key. An entry is 0, or has the record's slot
// plus 1 in its lower bits and a part of the key, the tag, in its upper bits. Keys are hashes with a secret, so that no
// sender can make many with one tag. Searches and removals seldom read records. A map would take more than the 80 bytes per
// key that README.md states.
type table struct{ entries []uint32 }

const (
	// slotBits is how many bits a slot's number plus 1 has.
	slotBits = 14
	maxSlots = 1<<slotBits - 1
	tagBits  = 32 - slotBits
)

func tagOf(key correlation.Key) uint32 {
	return uint32(key.Lo >> (64 - tagBits))
}

// entryOf returns the entry of a record.
func entryOf(key correlation.Key, slot uint32) uint32 {
	return tagOf(key)<<slotBits | (slot + 1)
}

func slotOf(entry uint32) uint32 { return entry&maxSlots - 1 }

// home returns where the search for a tag begins.
func (t *table) home(tag uint32) uint32 {
	return uint32(uint64(tag) * uint64(len(t.entries)) >> tagBits)
}

func (t *table) next(position uint32) uint32 {
	if position++; position < uint32(len(t.entries)) {
		return position
	}
	return 0
}

// find returns where the key's entry is, or the empty place where it belongs.
func (t *table) find(key correlation.Key, slots []slot) (position uint32, found bool) {
	tag := tagOf(key)
	for position = t.home(tag); ; position = t.next(position) {
		entry := t.entries[position]
		if entry == 0 {
			return position, false
		}
		if entry>>slotBits == tag && slots[slotOf(entry)].has(key) {
			return position, true
		}
	}
}

// forget removes the key's entry if it is this record's, and reports whether it was.
func (t *table) forget(key correlation.Key, slot uint32) bool {
	entry := entryOf(key, slot)
	at := t.home(tagOf(key))
	for t.entries[at] != entry {
		if t.entries[at] == 0 {
			return false
		}
		at = t.next(at)
	}
	t.remove(at)
	return true
}

// remove empties a place, and moves entries after it to where searches still find them.
func (t *table) remove(hole uint32) {
	for at := t.next(hole); t.entries[at] != 0; at = t.next(at) {
		if home := t.home(t.entries[at] >> slotBits); t.distance(home, at) >= t.distance(hole, at) {
			t.entries[hole] = t.entries[at]
			hole = at
		}
	}
	t.entries[hole] = 0
}

// distance returns how many steps a search takes.
func (t *table) distance(from, to uint32) uint32 {
	if from <= to {
		return to - from
	}
	return to + uint32(len(t.entries)) - from
}
