// SPDX-License-Identifier: Apache-2.0

package memoryindex

// ring holds the records of a shard in the order in which they came. It has no pointers, so the
// garbage collector does not scan it. A record is a slot with the member, followed by the slots
// that its trace state fills.
type ring struct {
	slots []slot
	tail  uint32 // the first slot of the oldest record
	used  uint32 // how many slots the records take
}

func (r *ring) wrap(i uint32) uint32 {
	if n := uint32(len(r.slots)); i >= n {
		return i - n
	}
	return i
}

func (r *ring) free() uint32 { return uint32(len(r.slots)) - r.used }

// push reserves the slots of a new record, which must be free.
func (r *ring) push(size uint32) uint32 {
	i := r.wrap(r.tail + r.used)
	r.used += size
	return i
}

// pop frees the slots of the oldest record.
func (r *ring) pop() {
	size := r.slots[r.tail].size()
	r.tail = r.wrap(r.tail + size)
	r.used -= size
}

// age returns how many slots were written after this one. The age of a free slot is at least the
// number of used slots.
func (r *ring) age(i uint32) uint32 {
	n := uint32(len(r.slots))
	return r.wrap(r.wrap(r.tail+r.used) + n - 1 - i)
}

// previous returns the member of the same key that came before, unless it was popped. If its slot
// was written again, that is newer than this record. If its slot is free, that is older than all.
func (r *ring) previous(i uint32) uint32 {
	before := r.slots[i].before()
	if before == none {
		return none
	}
	if age := r.age(before); age <= r.age(i) || age >= r.used {
		return none
	}
	return before
}

// writeState writes the trace state of the record at i.
func (r *ring) writeState(i uint32, state string) {
	for state != "" {
		i = r.wrap(i + 1)
		state = state[copy(r.slots[i][:], state):]
	}
}

// appendState appends the trace state of the record at i.
func (r *ring) appendState(to []byte, i uint32) []byte {
	for left := r.slots[i].packed().StateLen(); left > 0; left -= slotSize {
		i = r.wrap(i + 1)
		to = append(to, r.slots[i][:min(left, slotSize)]...)
	}
	return to
}
