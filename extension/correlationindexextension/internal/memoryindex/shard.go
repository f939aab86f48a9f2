// SPDX-License-Identifier: Apache-2.0

package memoryindex

import (
	"sync"
	"time"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/member"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// record is a member of a key. Like the map of the newest, it has no pointers, so the garbage collector does not scan it.
type record struct {
	key           correlation.Key   // zero once the key is poisoned
	came, decided correlation.Order // times of the shard; decided is also Undecided, or poisoned
	ago           uint32            // by how many records the one before with the key's tag is older; 0: there was none
	packed        member.Packed
}

// poisoned is the Decided of a record that is no member: its key is poisoned.
const poisoned correlation.Order = -1

// none is the number of no record.
const none = 0

// shard is a part of the index. All members of a key are in one.
type shard struct {
	mu sync.Mutex // guards all below
	// ring has the records that are numbered from oldest to before next, in the order in which they came. That with the
	// number n is at n modulo its length.
	ring         []record
	oldest, next uint64
	newest       map[uint32]uint32 // the lower bits of the number of the newest record, by the tag of its key
	states       map[uint64]string // trace states, by the number of the record
	bytes        int               // what the records take
	most         int               // what they can take
	window       time.Duration
	now          correlation.Order // nanoseconds since 1970, and later than all events
	members      int
	evicted      int
	records      bool   // whether changes are noted
	changes      []byte // records, as a segment has them
}

const (
	// recordBytes is what a record takes, with what the map of the newest takes for it.
	recordBytes = 106
	// stateBytes is what a trace state takes besides its text.
	stateBytes = 60

	// expiries is how many expired records an insertion removes. It adds only one, so the number of
	// expired records stays small.
	expiries = 4
)

func newShard(most int, window time.Duration) shard {
	return shard{oldest: 1, next: 1, newest: map[uint32]uint32{}, states: map[uint64]string{}, most: most, window: window}
}

func (s *shard) at(n uint64) *record { return &s.ring[n%uint64(len(s.ring))] }

// tagOf returns the part of a key by which its records are found. Others may have the same.
func tagOf(key correlation.Key) uint32 { return uint32(key.Lo) }

// last returns the newest record with a tag.
func (s *shard) last(tag uint32) uint64 {
	low, ok := s.newest[tag]
	if !ok {
		return none
	}
	return s.oldest + uint64(low-uint32(s.oldest))
}

// before returns the record before n that has the same tag.
func (s *shard) before(n uint64) uint64 {
	if ago := uint64(s.at(n).ago); ago > 0 && ago <= n-s.oldest {
		return n - ago
	}
	return none
}

func (s *shard) do(v *correlation.Request, now correlation.Order, room *scratch) correlation.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.advance(now)
	if !s.collect(v, room) {
		return correlation.Result{Poisoned: true}
	}
	if v.Op == correlation.Join && room.self == none && len(room.found) >= v.Limit {
		s.poison(v.Key, s.now, room)
		return correlation.Result{Poisoned: true}
	}
	r := s.read(room)
	switch {
	case v.Op == correlation.Join && room.self == none:
		if v.Member.Held {
			r.Decided = correlation.Undecided
		}
		s.join(v, r, room)
	case v.Op == correlation.Release && r.Decided == correlation.Undecided:
		s.release(room.self, s.now, room)
		r.Decided = s.now
	}
	return r
}

// advance sets the shard's time, which is another for each request. A batch reads the clock before it locks the shard, so
// its time may be earlier than the shard's.
func (s *shard) advance(now correlation.Order) { s.now = max(s.now+1, now) }

// collect finds the living members of a key, and the request's own among them. It returns
// false if the key is poisoned.
func (s *shard) collect(v *correlation.Request, room *scratch) bool {
	room.found, room.self = room.found[:0], none
	for n := s.last(tagOf(v.Key)); n != none && s.lives(n); n = s.before(n) {
		r := s.at(n)
		switch {
		case r.key != v.Key:
			continue
		case r.decided == poisoned:
			return false
		case room.self == none && v.Op != correlation.Look && r.packed.Is(&v.Member):
			room.self = n
		}
		room.found = append(room.found, n)
	}
	return true
}

func (s *shard) lives(n uint64) bool { return s.now-s.at(n).came <= correlation.Order(s.window) }

// poison forgets the collected members of a key, and adds a record that poisons it.
func (s *shard) poison(key correlation.Key, now correlation.Order, room *scratch) {
	for _, n := range room.found {
		s.at(n).key = correlation.Key{}
	}
	s.members -= len(room.found)
	s.note(s.insert(&record{key: key, came: now, decided: poisoned}, ""), room)
	room.poisoned++
}

// join adds the newest member of a key.
func (s *shard) join(v *correlation.Request, r correlation.Result, room *scratch) {
	own := record{key: v.Key, came: r.Came, decided: r.Decided}
	state := own.packed.Pack(&v.Member)
	s.note(s.insert(&own, state), room)
	s.members++
}

func (s *shard) release(n uint64, at correlation.Order, room *scratch) {
	s.at(n).decided = at
	s.note(n, room)
}

// insert adds the newest record of a key, and returns its number.
func (s *shard) insert(r *record, state string) (n uint64) {
	s.expire(expiries)
	size := sizeWith(len(state))
	for s.bytes+size > s.most {
		s.pop()
	}
	s.bytes += size
	if s.next-s.oldest == uint64(len(s.ring)) {
		s.grow()
	}
	n = s.next
	s.next++
	tag := tagOf(r.key)
	r.ago = 0
	if before := s.last(tag); before != none {
		r.ago = uint32(n - before)
	}
	*s.at(n) = *r
	s.newest[tag] = uint32(n)
	if state != "" {
		s.states[n] = state
	}
	return n
}

func sizeWith(stateLen int) int {
	if stateLen == 0 {
		return recordBytes
	}
	return recordBytes + stateBytes + stateLen
}

// grow gives a shard room for twice the records, at most for as many as it can have.
func (s *shard) grow() {
	old := s.ring
	s.ring = make([]record, min(2*len(old)+1, s.most/recordBytes))
	for n := s.oldest; n < s.next; n++ {
		*s.at(n) = old[n%uint64(len(old))]
	}
}

// expire removes the oldest records as long as they are expired.
func (s *shard) expire(most int) {
	for ; most > 0 && s.oldest < s.next && !s.lives(s.oldest); most-- {
		s.pop()
	}
}

// pop removes the oldest record.
func (s *shard) pop() {
	n := s.oldest
	r := s.at(n)
	if r.decided != poisoned && r.key != (correlation.Key{}) {
		s.members--
		if s.lives(n) {
			s.evicted++
		}
	}
	if tag := tagOf(r.key); s.last(tag) == n {
		delete(s.newest, tag)
	}
	delete(s.states, n)
	s.bytes -= sizeWith(r.packed.StateLen())
	s.oldest++
}

// scratch is the reused memory of one batch of requests.
type scratch struct {
	members  []correlation.Member // of the last result
	poisoned int64                // keys that these requests poisoned
	changed  []*shard             // by these requests, if changes are noted
	found    []uint64             // the key's members, the newest first
	self     uint64               // the request's own member among them, or none
}

// read copies out the collected members but the request's own.
func (s *shard) read(room *scratch) (r correlation.Result) {
	room.members = room.members[:0]
	r.Came, r.Decided = s.now, s.now
	for i := len(room.found); i > 0; i-- {
		n := room.found[i-1]
		own := s.at(n)
		if n == room.self {
			r.Came, r.Decided = own.came, own.decided
			continue
		}
		m := correlation.Member{Came: own.came, Decided: own.decided}
		own.packed.Unpack(&m, s.states[n])
		m.Held = m.Decided == correlation.Undecided
		room.members = append(room.members, m)
	}
	r.Members = room.members
	return r
}
