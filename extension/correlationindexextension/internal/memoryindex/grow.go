package memoryindex

// firstSlots is how many slots a shard begins with. An index that remembers little takes
// little, and the garbage collector does not wait for heap that nobody uses.
const firstSlots = 128

// grow gives a shard twice the slots, if it can have more. Records move to where they are
// in order of age, the oldest first.
func (s *shard) grow() bool {
	had := uint32(len(s.ring.slots))
	if had >= s.most {
		return false
	}
	old := s.ring
	s.ring = ring{slots: make([]slot, min(2*had, s.most)), used: old.used}
	place := func(i uint32) uint32 { return old.wrap(i + had - old.tail) }
	for n := range old.used {
		s.ring.slots[n] = old.slots[old.wrap(old.tail+n)]
	}
	for n := uint32(0); n < old.used; {
		record := &s.ring.slots[n]
		before := old.previous(old.wrap(old.tail + n))
		if before != none {
			before = place(before)
		}
		record.setBefore(before)
		n += record.size()
	}
	entries := s.table.entries
	s.table.entries = make([]uint32, entriesFor(len(s.ring.slots)))
	for _, entry := range entries {
		if entry != 0 {
			i := place(slotOf(entry))
			key := s.ring.slots[i].key()
			at, _ := s.table.find(key, s.ring.slots)
			s.table.entries[at] = entryOf(key, i)
		}
	}
	return true
}
