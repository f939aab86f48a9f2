package correlationindexextension

import "github.com/otelcol-tc/otelcol-tc/internal/correlation"

// scratch is room for what visits find.
type scratch struct {
	members  []correlation.Member // of results that are in use
	poisoned int64                // keys that these visits poisoned

	// Of the memory backend.
	slots []uint32          // of the members, the newest first
	self  uint32            // the visitor's among them, or none
	first uint16            // the count at which the oldest came
	after correlation.Order // what happens next, from there
	state []byte
	group group

	// Of the redis backend.
	times   []times // of the members
	visitor times
	numbers []int64 // all times, in order
}

// next is the count of what happens next.
func (room *scratch) next() uint16 { return room.first + uint16(room.after) }

// read copies out the members that were collected, but for the visitor.
func (s *shard) read(room *scratch) (r correlation.Result) {
	s.count(room)
	from := len(room.members)
	r.Came, r.Decided = room.after, room.after
	for n := len(room.slots); n > 0; n-- {
		i := room.slots[n-1]
		came, decided := room.orders(&s.ring.slots[i])
		if i == room.self {
			r.Came, r.Decided = came, decided
			continue
		}
		room.members = append(room.members, correlation.Member{Came: came, Decided: decided})
		room.state = s.ring.appendState(room.state[:0], i)
		s.ring.slots[i].packed().unpack(&room.members[len(room.members)-1], string(room.state))
	}
	r.Members = room.members[from:]
	return r
}

// count finds out what is before and after all that has happened to the members.
func (s *shard) count(room *scratch) {
	room.first, room.after = 0, 0
	if len(room.slots) == 0 {
		return
	}
	room.first = s.ring.slots[room.slots[len(room.slots)-1]].came()
	for _, i := range room.slots {
		record := &s.ring.slots[i]
		last := max(record.came()-room.first, record.decided()-room.first)
		room.after = max(room.after, correlation.Order(last)+1)
	}
}

// orders are when a member came and was decided.
func (room *scratch) orders(record *slot) (came, decided correlation.Order) {
	came = correlation.Order(record.came() - room.first)
	if record.is(metaHeld) {
		return came, correlation.Undecided
	}
	return came, correlation.Order(record.decided() - room.first)
}
