package correlationindexextension

// ring holds the records of a shard in the order in which they came. It has no
// pointers, so the garbage collector never looks into it. A record is a slot with the
// member, and as many slots after it as the trace state fills.
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

// push takes the slots of a new record. They must be free.
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

// age is how many slots were written after this one. That of a free slot is no less than
// what is used.
func (r *ring) age(i uint32) uint32 {
	n := uint32(len(r.slots))
	return r.wrap(r.wrap(r.tail+r.used) + n - 1 - i)
}

// previous is the member of the same key that came before, unless it is not there
// any more. Nobody tells a record when the one before it is popped, but its age does:
// what is written later into the same slot is newer than the record, whether it is of
// the same key or a part of a trace state, and a slot that is free is older than all.
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
	for left := r.slots[i].stateLen(); left > 0; left -= slotSize {
		i = r.wrap(i + 1)
		to = append(to, r.slots[i][:min(left, slotSize)]...)
	}
	return to
}

// look looks at both ends of a slot, which is longer than a cache line.
func (r *ring) look(i uint32) uint64 {
	return uint64(r.slots[i][0]) + uint64(r.slots[i][slotSize-1])
}
