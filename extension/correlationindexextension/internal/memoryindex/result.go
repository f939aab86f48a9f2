// SPDX-License-Identifier: Apache-2.0

package memoryindex

import (
	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/member"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// scratch is the reused memory of one batch of requests.
type scratch struct {
	members  []correlation.Member // of the last result
	poisoned int64                // keys that these requests poisoned
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
