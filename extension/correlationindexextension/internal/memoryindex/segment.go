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

// A segment holds records that came, were decided or were poisoned during some time, as the ring has them:
//
//	0 time, nanoseconds since 1970     8 ticks, at the same time     12 the records
//
// All segments of a window, restored together, make the index of their end. A record can be in several.
const segmentHead = 12

// Record makes the index note what changes, for AppendChanges. Call it before requests are made.
func (x *Index) Record() {
	for i := range x.shards {
		x.shards[i].records = true
	}
}

// AppendChanges appends to a segment what has changed since the last call. It returns an empty segment as it is if
// nothing has.
func (x *Index) AppendChanges(segment []byte) []byte {
	for i := range x.shards {
		s := &x.shards[i]
		s.mu.Lock()
		if len(segment) == 0 && len(s.changes) > 0 {
			segment = append(segment, make([]byte, segmentHead)...)
		}
		segment = append(segment, s.changes...)
		s.changes = s.changes[:0]
		s.mu.Unlock()
	}
	if len(segment) > 0 { // after the last record, so that none has an arrival after the segment's
		binary.LittleEndian.PutUint64(segment, uint64(time.Now().UnixNano()))
		binary.LittleEndian.PutUint32(segment[8:], uint32(x.ticks()))
	}
	return segment
}

// note adds a record to the changes.
func (s *shard) note(i uint32) {
	if !s.records {
		return
	}
	for range s.ring.slots[i].size() {
		s.changes = append(s.changes, s.ring.slots[i][:]...)
		i = s.ring.wrap(i + 1)
	}
}

// stored is a record of a segment.
type stored struct {
	age    uint64 // in ticks
	record *slot
	state  []byte
}

// Restore adds the records of segments, the oldest first, as new members with an earlier arrival. So they fit shards
// of any number and size. It leaves out segments that cannot be read, and returns an error for them.
func (x *Index) Restore(segments [][]byte) (err error) {
	now, clock := x.ticks(), time.Now()
	var all []stored
	slices.SortFunc(segments, func(a, b []byte) int { return cmp.Compare(EndOf(a), EndOf(b)) })
	for _, segment := range segments {
		records, failed := readSegment(segment, clock)
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

// EndOf returns the time of a segment, or 0.
func EndOf(segment []byte) int64 {
	if len(segment) < segmentHead {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(segment))
}

// readSegment returns the records of a segment with their ages, which include the time since its end.
func readSegment(segment []byte, now time.Time) (all []stored, err error) {
	if len(segment) < segmentHead {
		return nil, errors.New("a segment is cut off")
	}
	ticks := binary.LittleEndian.Uint32(segment[8:])
	since := uint64(max(now.Sub(time.Unix(0, EndOf(segment))), 0) / tick)
	for rest := segment[segmentHead:]; len(rest) > 0; {
		if len(rest) < slotSize {
			return nil, errors.New("a record of a segment is cut off")
		}
		record := (*slot)(rest)
		length, size := record.packed().StateLen(), int(record.size())*slotSize
		if length > correlation.MaxTraceState || size > len(rest) {
			return nil, errors.New("a trace state of a segment is cut off")
		}
		all = append(all, stored{uint64(ticks-record.arrival()) + since, record, rest[slotSize:][:length]})
		rest = rest[size:]
	}
	return all, nil
}

// restore adds a record. If the shard has it, and held it, the record may decide it.
func (s *shard) restore(record *slot, state string, now uint64, room *scratch) {
	now = s.advance(now)
	v := correlation.Request{Key: record.key(), Op: correlation.Join}
	record.packed().Unpack(&v.Member, state)
	switch poisoned := !s.collect(&v, now, room); {
	case poisoned:
	case record.is(member.Poisoned):
		s.poison(v.Key, now, room)
	case room.self == none:
		s.add(v.Key, record.packed(), state, record.came(), record.decided(), now)
	case s.ring.slots[room.self].is(member.Held) && !record.is(member.Held):
		s.release(room.self, record.decided())
	}
}
