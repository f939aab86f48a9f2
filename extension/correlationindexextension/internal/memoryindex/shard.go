// SPDX-License-Identifier: Apache-2.0

package memoryindex

import (
	"sync"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/member"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// shard is a part of the index. All members of a key are in one.
type shard struct {
	mu      sync.Mutex // guards all below
	ring    ring
	table   table
	now     uint64 // of the last request, in ticks; never goes back
	window  uint32 // in ticks
	most    uint32 // slots that the ring can have
	keys    uint32 // entries of the table
	members uint32
	evicted uint64
	records bool   // whether changes are noted
	changes []byte // records, as a segment has them
}

// expiries is how many expired records an insertion removes. It adds only one, so the number of
// expired records stays small.
const expiries = 4

func newShard(slots, most int, window uint32) shard {
	return shard{
		ring: ring{slots: make([]slot, slots)}, table: table{make([]uint32, entriesFor(slots))},
		most: uint32(most), window: window,
	}
}

func (s *shard) do(v *correlation.Request, now uint64, room *scratch) correlation.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	now = s.advance(now)
	if !s.collect(v, now, room) {
		return correlation.Result{Poisoned: true}
	}
	if v.Op == correlation.Join && room.self == none && len(room.slots) >= v.Limit {
		s.poison(v.Key, now, room)
		return correlation.Result{Poisoned: true}
	}
	r := s.read(room)
	switch {
	case v.Op == correlation.Join && room.self == none:
		s.join(v, now, room)
		if v.Member.Held {
			r.Decided = correlation.Undecided
		}
	case v.Op == correlation.Release && r.Decided == correlation.Undecided:
		s.release(room.self, room.next(), room)
		r.Decided = room.after
	}
	return r
}

// advance returns the shard's time. A batch reads the clock before it locks the shard, so its time
// may be earlier than the shard's.
func (s *shard) advance(now uint64) uint64 {
	s.now = max(s.now, now)
	return s.now
}

// collect finds the living members of a key, and the request's own among them. It returns
// false if the key is poisoned.
func (s *shard) collect(v *correlation.Request, now uint64, room *scratch) bool {
	room.slots, room.self, room.first, room.after = room.slots[:0], none, 0, 0
	at, ok := s.table.find(v.Key, s.ring.slots)
	if !ok {
		return true
	}
	i := slotOf(s.table.entries[at])
	if s.ring.slots[i].is(member.Poisoned) && s.lives(i, now) {
		return false
	}
	for ; i != none && s.lives(i, now); i = s.ring.previous(i) {
		if room.self == none && v.Op != correlation.Look && s.ring.slots[i].packed().Is(&v.Member) {
			room.self = i
		}
		room.slots = append(room.slots, i)
	}
	s.count(room)
	return true
}

func (s *shard) lives(i uint32, now uint64) bool {
	return uint32(now)-s.ring.slots[i].arrival() <= s.window
}

// poison forgets the collected members of a key, and adds a record that poisons it.
func (s *shard) poison(key correlation.Key, now uint64, room *scratch) {
	for _, i := range room.slots {
		s.ring.slots[i].set(member.Forgotten)
	}
	s.members -= uint32(len(room.slots))
	i := s.insert(key, 1, now)
	p := s.ring.slots[i].packed()
	*p = member.Packed{}
	p.SetMeta(member.Poisoned)
	s.note(i, room)
	room.poisoned++
}

// join adds the newest member of a key.
func (s *shard) join(v *correlation.Request, now uint64, room *scratch) {
	var p member.Packed
	state, count := p.Pack(&v.Member), room.next()
	s.note(s.add(v.Key, &p, state, count, count, now), room)
}

func (s *shard) add(key correlation.Key, p *member.Packed, state string, came, decided uint16, now uint64) uint32 {
	i := s.insert(key, sizeWith(len(state)), now)
	record := &s.ring.slots[i]
	*record.packed() = *p
	record.setCame(came)
	record.setDecided(decided)
	s.ring.writeState(i, state)
	s.members++
	return i
}

func (s *shard) release(i uint32, count uint16, room *scratch) {
	record := &s.ring.slots[i]
	record.clear(member.Held)
	record.setDecided(count)
	s.note(i, room)
}

// insert adds the newest record of a key. The caller sets its member.
func (s *shard) insert(key correlation.Key, size uint32, now uint64) uint32 {
	s.expire(now, expiries)
	for s.ring.free() < size {
		if !s.grow() {
			s.pop(now)
		}
	}
	i := s.ring.push(size)
	record := &s.ring.slots[i]
	record.setKey(key)
	record.setArrival(uint32(now))
	s.link(i)
	return i
}

// link makes a record the newest of its key.
func (s *shard) link(i uint32) {
	record := &s.ring.slots[i]
	key := record.key()
	before := none
	at, known := s.table.find(key, s.ring.slots)
	if known {
		before = slotOf(s.table.entries[at])
	} else {
		s.keys++
	}
	record.setBefore(before)
	s.table.entries[at] = entryOf(key, i)
}

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

// expire removes the oldest records as long as they are expired.
func (s *shard) expire(now uint64, most int) {
	for ; most > 0 && s.ring.used > 0 && !s.lives(s.ring.tail, now); most-- {
		s.pop(now)
	}
}

// pop removes the oldest record. ring.previous then does not return it.
func (s *shard) pop(now uint64) {
	i := s.ring.tail
	record := &s.ring.slots[i]
	if !record.is(member.Poisoned | member.Forgotten) {
		s.members--
		if s.lives(i, now) {
			s.evicted++
		}
	}
	if s.table.forget(record.key(), i) {
		s.keys--
	}
	s.ring.pop()
}

// scratch is the reused memory of one batch of requests.
type scratch struct {
	members  []correlation.Member // of the last result
	poisoned int64                // keys that these requests poisoned
	changed  []*shard             // by these requests, if changes are noted
	slots    []uint32             // of the key's members, the newest first
	self     uint32               // the request's own member among them, or none
	first    uint16               // the count at which the oldest came
	after    correlation.Order    // the order of the next event
	state    []byte
}

// next returns the count of the next event.
func (room *scratch) next() uint16 { return room.first + uint16(room.after) }

// read copies out the collected members but the request's own.
func (s *shard) read(room *scratch) (r correlation.Result) {
	room.members = room.members[:0]
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
		s.ring.slots[i].packed().Unpack(&room.members[len(room.members)-1], string(room.state))
	}
	r.Members = room.members
	return r
}

// count sets the first and the next count of the key.
func (s *shard) count(room *scratch) {
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

// orders returns when a member came and was decided.
func (room *scratch) orders(record *slot) (came, decided correlation.Order) {
	came = correlation.Order(record.came() - room.first)
	if record.is(member.Held) {
		return came, correlation.Undecided
	}
	return came, correlation.Order(record.decided() - room.first)
}
