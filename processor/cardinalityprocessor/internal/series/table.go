package series

// table finds series by the lower half of their identity. It is a hash table with
// open addressing and linear probing: its keys are hashes already, an entry is
// touched in place, and one of 16 bytes costs 21 to 43. The zero value is empty.
type table struct {
	slots []entry // a power of two, at most three quarters of it used
	count int
}

// entry is one series. Its key is never 0: that is an empty slot.
type entry struct {
	key  uint64
	seen uint32 // when a point came last: an epoch
	ref  uint32 // what it belongs to, from 1; 0 for nothing
}

const minSlots = 8

// get returns the entry of a key, or nil. It is valid until the next put.
func (t *table) get(key uint64) *entry {
	if t.count == 0 {
		return nil
	}
	key = notEmpty(key)
	mask := uint64(len(t.slots) - 1)
	for i := spread(key) & mask; ; i = (i + 1) & mask {
		switch e := &t.slots[i]; e.key {
		case key:
			return e
		case 0:
			return nil
		}
	}
}

// put returns the entry of a key that the table does not have.
func (t *table) put(key uint64, seen, ref uint32) *entry {
	if 4*(t.count+1) > 3*len(t.slots) {
		t.resize(max(minSlots, 2*len(t.slots)))
	}
	t.count++
	return t.insert(entry{notEmpty(key), seen, ref})
}

func (t *table) insert(e entry) *entry {
	mask := uint64(len(t.slots) - 1)
	i := spread(e.key) & mask
	for t.slots[i].key != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = e
	return &t.slots[i]
}

// keep removes the entries that keep returns false for. It moves the rest, since a hole
// would end a search too early.
func (t *table) keep(keep func(*entry) bool) {
	kept := 0
	for i := range t.slots {
		if e := &t.slots[i]; e.key != 0 {
			if keep(e) {
				kept++
			} else {
				e.key = 0
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

func (t *table) resize(size int) {
	old := t.slots
	t.slots = make([]entry, size)
	for _, e := range old {
		if e.key != 0 {
			t.insert(e)
		}
	}
}

// spread mixes keys that were chosen to have the same lower bits; hashes with a
// secret seed have none, but small tables would rather be safe.
func spread(key uint64) uint64 { return key ^ key>>32 }

// notEmpty replaces 0, the key of no attributes at all, by one that a slot can have.
func notEmpty(key uint64) uint64 {
	if key == 0 {
		return 1
	}
	return key
}
