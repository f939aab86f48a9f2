// SPDX-License-Identifier: Apache-2.0

package memoryindex

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/member"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// A part of a snapshot holds the records of one shard that are not expired:
//
//	0 time, nanoseconds since 1970     8 ticks, at the same time     12 the records, as the ring has them
//
// Each part has its own time, because parts are taken one after the other.
const partHead = 12

// Parts returns how many parts a snapshot has.
func (x *Index) Parts() int { return len(x.shards) }

// Take returns a part, or nil if it has not changed since it was last taken. The part is valid
// until the buffer is used again.
func (x *Index) Take(i int, buffer *[]byte) []byte {
	s := &x.shards[i]
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.changed {
		return nil
	}
	s.changed = false
	now := x.ticks()
	part := binary.LittleEndian.AppendUint64((*buffer)[:0], uint64(time.Now().UnixNano()))
	part = binary.LittleEndian.AppendUint32(part, uint32(now))
	*buffer = s.appendRecords(part, now)
	return *buffer
}

// Keep makes Take return a part again, because it could not be stored.
func (x *Index) Keep(i int) {
	s := &x.shards[i]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = true
}

// appendRecords appends the records that are neither expired nor forgotten, the oldest first.
func (s *shard) appendRecords(to []byte, now uint64) []byte {
	for i, left := s.ring.tail, s.ring.used; left > 0; {
		record := &s.ring.slots[i]
		size := record.size()
		kept := s.lives(i, now) && !record.is(member.Forgotten)
		for range size {
			if kept {
				to = append(to, s.ring.slots[i][:]...)
			}
			i = s.ring.wrap(i + 1)
		}
		left -= size
	}
	return to
}

// stored is a record of a part.
type stored struct {
	age    uint64 // in ticks
	record *slot
	state  []byte
}

// Restore adds the records of all parts, the oldest first, as new members with an earlier arrival.
// So they fit shards of any number and size. It leaves out parts that cannot be read, and returns
// an error for them.
func (x *Index) Restore(parts [][]byte) (err error) {
	now, clock := x.ticks(), time.Now()
	var all []stored
	for _, part := range parts {
		records, failed := readPart(part, clock)
		if failed != nil {
			err = failed
			continue
		}
		all = append(all, records...)
	}
	slices.SortStableFunc(all, func(a, b stored) int { return cmp.Compare(b.age, a.age) })
	room := &scratch{}
	for _, r := range all {
		if r.age <= uint64(x.shards[0].window) {
			x.shardOf(r.record.key()).restore(r.record, string(r.state), now-r.age, room)
		}
	}
	return err
}

// readPart returns the records of a part with their ages, which include the time since it was taken.
func readPart(part []byte, now time.Time) (all []stored, err error) {
	if len(part) < partHead {
		return nil, errors.New("a part of the snapshot is cut off")
	}
	taken := time.Unix(0, int64(binary.LittleEndian.Uint64(part)))
	ticks := binary.LittleEndian.Uint32(part[8:])
	since := uint64(max(now.Sub(taken), 0) / tick)
	for rest := part[partHead:]; len(rest) > 0; {
		if len(rest) < slotSize {
			return nil, errors.New("a record of the snapshot is cut off")
		}
		record := (*slot)(rest)
		length, size := record.packed().StateLen(), int(record.size())*slotSize
		if length > correlation.MaxTraceState || size > len(rest) {
			return nil, errors.New("a trace state of the snapshot is cut off")
		}
		all = append(all, stored{uint64(ticks-record.arrival()) + since, record, rest[slotSize:][:length]})
		rest = rest[size:]
	}
	return all, nil
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
