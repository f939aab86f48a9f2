// SPDX-License-Identifier: Apache-2.0

package memoryindex

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/member"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// Part holds the records of one shard that are not expired. It has its own time, because parts are
// taken one after the other.
type Part struct {
	Seed    uint64
	Time    time.Time
	Ticks   uint32 // at Time
	Records []byte
}

// Parts returns how many parts there are.
func (x *Index) Parts() int { return len(x.shards) }

// Take returns a part, or nil if it has not changed since it was last taken. Take locks the shard
// only to copy its records into the buffer.
func (x *Index) Take(i int, buffer *[]byte) *Part {
	s := &x.shards[i]
	s.mu.Lock()
	changed := s.changed
	s.changed = false
	if changed {
		*buffer = s.ring.copyRecords((*buffer)[:0])
	}
	s.mu.Unlock()
	if !changed {
		return nil
	}
	p := &Part{Seed: x.seed, Time: time.Now(), Ticks: uint32(x.ticks())}
	p.Records = living(nil, *buffer, p.Ticks, s.window)
	return p
}

// Keep makes Take return a part again, because it could not be stored.
func (x *Index) Keep(i int) {
	s := &x.shards[i]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = true
}

// copyRecords appends all records, the oldest first.
func (r *ring) copyRecords(to []byte) []byte {
	for i, left := r.tail, r.used; left > 0; left-- {
		to = append(to, r.slots[i][:]...)
		i = r.wrap(i + 1)
	}
	return to
}

// living appends the records that are neither expired nor forgotten.
func living(to, records []byte, now, window uint32) []byte {
	for len(records) > 0 {
		record := (*slot)(records)
		size := int(record.size()) * slotSize
		if now-record.arrival() <= window && !record.is(member.Forgotten) {
			to = append(to, records[:size]...)
		}
		records = records[size:]
	}
	return to
}

// Check returns an error if the records of the part cannot be read.
func (p *Part) Check() error {
	for rest := p.Records; len(rest) > 0; {
		if len(rest) < slotSize {
			return errors.New("a record is cut off")
		}
		record := (*slot)(rest)
		size := int(record.size()) * slotSize
		if record.packed().StateLen() > correlation.MaxTraceState || size > len(rest) {
			return errors.New("a trace state is cut off")
		}
		rest = rest[size:]
	}
	return nil
}

// Restore adds the records of all parts, the oldest first, as new members with an earlier arrival.
// So they fit shards of any number and size. The parts must be checked and have one seed.
func (x *Index) Restore(parts []*Part) {
	if len(parts) == 0 {
		return
	}
	x.seed = parts[0].Seed
	now, clock := x.ticks(), time.Now()
	var all []aged
	for _, p := range parts {
		down := uint64(max(clock.Sub(p.Time), 0) / tick)
		for rest := p.Records; len(rest) > 0; {
			record := (*slot)(rest)
			if age := uint64(p.Ticks-record.arrival()) + down; age <= uint64(x.shards[0].window) {
				all = append(all, aged{age, record, rest[slotSize:][:record.packed().StateLen()]})
			}
			rest = rest[int(record.size())*slotSize:]
		}
	}
	slices.SortStableFunc(all, func(a, b aged) int { return cmp.Compare(b.age, a.age) })
	room := &scratch{}
	for _, r := range all {
		x.shardOf(r.record.key()).restore(r.record, string(r.state), now-r.age, room)
	}
}

// aged is a record of a part.
type aged struct {
	age    uint64 // in ticks
	record *slot
	state  []byte
}

// restore adds a record, unless the shard has it. After a change of the number of shards, a record
// can be in two parts.
func (s *shard) restore(record *slot, state string, now uint64, room *scratch) {
	now = s.advance(now)
	v := correlation.Request{Key: record.key(), Op: correlation.Join}
	record.packed().Unpack(&v.Member, state)
	switch poisoned := !s.collect(&v, now, room); {
	case poisoned || room.self != none:
	case record.is(member.Poisoned):
		s.poison(v.Key, now, room)
	default:
		added := s.add(v.Key, record.packed(), state, now)
		added.setCame(record.came())
		added.setDecided(record.decided())
	}
}
