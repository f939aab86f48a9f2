// SPDX-License-Identifier: Apache-2.0

package series

// table is a hash table with open addressing and linear probing. Its keys are the lower
// halves of identities, which are hashes already. Entries can be changed in place. An entry
// of 16 bytes takes 21 to 43 bytes. The zero value is an empty table.
type table struct {
	slots []entry // a power of two, at most three quarters of it used
	count int
}

// entry is a slot of a table. The key 0 means that the slot is empty. Snapshots store the
// fields under these names.
type entry struct {
	Key  uint64
	Seen uint32 // the epoch of the last point
	Ref  uint32 // an index or number, as the table's owner defines it
}

const minSlots = 2

// get returns the entry of a key, or nil. The entry is valid until the next put or keep.
func (t *table) get(key uint64) *entry {
	if t.count == 0 {
		return nil
	}
	key = notEmpty(key)
	mask := uint64(len(t.slots) - 1)
	for i := spread(key) & mask; ; i = (i + 1) & mask {
		switch e := &t.slots[i]; e.Key {
		case key:
			return e
		case 0:
			return nil
		}
	}
}

// put adds a key that the table does not have, and returns its entry.
func (t *table) put(key uint64, seen, ref uint32) *entry {
	if 4*(t.count+1) > 3*len(t.slots) {
		t.resize(max(minSlots, 2*len(t.slots)))
	}
	t.count++
	return t.insert(entry{notEmpty(key), seen, ref})
}

func (t *table) insert(e entry) *entry {
	mask := uint64(len(t.slots) - 1)
	i := spread(e.Key) & mask
	for t.slots[i].Key != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = e
	return &t.slots[i]
}

// keep removes the entries for which the argument returns false. It moves the others, since
// an empty slot would end a search too early.
func (t *table) keep(keep func(*entry) bool) {
	kept := 0
	for i := range t.slots {
		if e := &t.slots[i]; e.Key != 0 {
			if keep(e) {
				kept++
			} else {
				e.Key = 0
			}
		}
	}
	if kept == t.count {
		return
	}
	t.count = kept
	size := minSlots
	for 4*kept > 3*size {
		size *= 2
	}
	t.resize(size)
}

// remove removes a key that the table has. It closes the gap: an empty slot would end a search
// too early.
func (t *table) remove(key uint64) {
	key = notEmpty(key)
	mask := uint64(len(t.slots) - 1)
	gap := spread(key) & mask
	for t.slots[gap].Key != key {
		gap = (gap + 1) & mask
	}
	for i := (gap + 1) & mask; t.slots[i].Key != 0; i = (i + 1) & mask {
		// The entry may move if its search begins at or before the gap.
		if home := spread(t.slots[i].Key) & mask; (i-home)&mask >= (i-gap)&mask {
			t.slots[gap], gap = t.slots[i], i
		}
	}
	t.slots[gap] = entry{}
	t.count--
}

// entries returns a copy of all entries.
func (t *table) entries() []entry {
	all := make([]entry, 0, t.count)
	for _, e := range t.slots {
		if e.Key != 0 {
			all = append(all, e)
		}
	}
	return all
}

func (t *table) restore(all []entry) {
	for _, e := range all {
		t.put(e.Key, e.Seen, e.Ref)
	}
}

func (t *table) resize(size int) {
	old := t.slots
	t.slots = make([]entry, size)
	for _, e := range old {
		if e.Key != 0 {
			t.insert(e)
		}
	}
}

// spread mixes the upper bits into the lower ones, which choose the slot.
func spread(key uint64) uint64 { return key ^ key>>32 }

// notEmpty replaces the key 0, which an empty attribute set has, by 1.
func notEmpty(key uint64) uint64 {
	if key == 0 {
		return 1
	}
	return key
}
