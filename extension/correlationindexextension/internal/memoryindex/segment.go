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

// A segment holds records that came, were decided or were poisoned, as the ring has them:
//
//	0 time, nanoseconds since 1970     8 the time of tick 0     16 ticks, at the time     20 the records
//
// All segments of a window, in their order, make the index of their end. A record can be in several.
const segmentHead = 20

// Record makes the index note what changes. Each Do calls store with its changes before it returns. Call it before
// requests are made.
func (x *Index) Record(store func(Changes)) {
	x.store = store
	for i := range x.shards {
		x.shards[i].records = true
	}
}

// Changes are what the requests of a Do have changed. Some may be stored already, by another Do.
type Changes struct {
	index  *Index
	shards []*shard
}

// Append appends the changes to a segment. Only one goroutine at a time may call it and store the segment, so that changes
// of a key are stored in their order.
func (c Changes) Append(segment []byte) []byte {
	for _, s := range c.shards {
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
		binary.LittleEndian.PutUint64(segment[8:], uint64(c.index.origin.UnixNano()))
		binary.LittleEndian.PutUint32(segment[16:], uint32(c.index.ticks()))
	}
	return segment
}

// note adds a record to the changes.
func (s *shard) note(i uint32, room *scratch) {
	if !s.records {
		return
	}
	if n := len(room.changed); n == 0 || room.changed[n-1] != s {
		room.changed = append(room.changed, s)
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

// Restore adds the records of segments as new members with an earlier arrival, the oldest first. So they fit shards
// of any number and size. It leaves out segments that cannot be read, and returns an error for them.
func (x *Index) Restore(segments [][]byte) (err error) {
	now := x.ticks()
	ends := endsOf(segments, time.Now())
	var all []stored
	for _, segment := range segments {
		records, failed := readSegment(segment, ends)
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

// end is when an index wrote its last segment.
type end struct {
	ticks uint32
	since uint64 // in ticks
}

// endsOf returns the end of each index that wrote segments. Ages are measured from there: an index's own ticks order its
// records, which the clock does not.
func endsOf(segments [][]byte, now time.Time) map[uint64]end {
	ends := map[uint64]end{}
	for _, segment := range segments {
		if len(segment) >= segmentHead {
			written := time.Unix(0, int64(binary.LittleEndian.Uint64(segment)))
			ends[originOf(segment)] = end{binary.LittleEndian.Uint32(segment[16:]), uint64(max(now.Sub(written), 0) / tick)}
		}
	}
	return ends
}

func originOf(segment []byte) uint64 { return binary.LittleEndian.Uint64(segment[8:]) }

// readSegment returns the records of a segment with their ages, which include the time since the end.
func readSegment(segment []byte, ends map[uint64]end) (all []stored, err error) {
	if len(segment) < segmentHead {
		return nil, errors.New("a segment is cut off")
	}
	last := ends[originOf(segment)]
	for rest := segment[segmentHead:]; len(rest) > 0; {
		if len(rest) < slotSize {
			return nil, errors.New("a record of a segment is cut off")
		}
		record := (*slot)(rest)
		length, size := record.packed().StateLen(), int(record.size())*slotSize
		if length > correlation.MaxTraceState || size > len(rest) {
			return nil, errors.New("a trace state of a segment is cut off")
		}
		all = append(all, stored{uint64(last.ticks-record.arrival()) + last.since, record, rest[slotSize:][:length]})
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
		s.release(room.self, record.decided(), room)
	}
}
