// SPDX-License-Identifier: Apache-2.0

package memoryindex

// firstSlots is how many slots a new shard has. So an index with few members takes little memory,
// and the garbage collector runs often enough.
const firstSlots = 128

// grow gives a shard twice the slots, if it can have more. Records move in order of age, the
// oldest first.
func (s *shard) grow() bool {
	had := uint32(len(s.ring.slots))
	if had >= s.most {
		return false
	}
	old := s.ring
	s.ring = ring{slots: make([]slot, min(2*had, s.most))}
	s.table.entries = make([]uint32, entriesFor(len(s.ring.slots)))
	s.keys = 0
	for ; old.used > 0; old.pop() {
		size := old.slots[old.tail].size()
		i := s.ring.push(size)
		for n := range size {
			s.ring.slots[i+n] = old.slots[old.wrap(old.tail+n)]
		}
		s.link(i)
	}
	return true
}
