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

// A segment holds records that came, were decided or were poisoned, each as
//
//	0 key     16 when it came     24 when it was decided     32 packed     and its trace state
//
// All segments of a window, in their order, make the index of their end. A record can be in several.
const storedSize = 32 + member.Size

// Record makes the index note what changes. Each Do calls store with its changes before it returns. Call it before
// requests are made.
func (x *Index) Record(store func(Changes)) {
	x.store = store
	for i := range x.shards {
		x.shards[i].records = true
	}
}

// Changes are what the requests of a Do have changed. Some may be stored already, by another Do.
type Changes []*shard

// Append appends the changes to a segment. Only one goroutine at a time may call it and store the segment, so that changes
// of a key are stored in their order.
func (c Changes) Append(segment []byte) []byte {
	for _, s := range c {
		s.mu.Lock()
		segment = append(segment, s.changes...)
		s.changes = s.changes[:0]
		s.mu.Unlock()
	}
	return segment
}

// note adds a record to the changes.
func (s *shard) note(n uint64, room *scratch) {
	if !s.records {
		return
	}
	if last := len(room.changed); last == 0 || room.changed[last-1] != s {
		room.changed = append(room.changed, s)
	}
	r := s.at(n)
	for _, number := range [...]uint64{r.key.Hi, r.key.Lo, uint64(r.came), uint64(r.decided)} {
		s.changes = binary.LittleEndian.AppendUint64(s.changes, number)
	}
	s.changes = append(append(s.changes, r.packed[:]...), s.states[n]...)
}

// stored is a record of a segment.
type stored struct {
	record
	state string
}

// Restore adds the records of segments as new members that came earlier, the oldest first. So they fit shards
// of any number and size. It leaves out segments that cannot be read, and returns an error for them.
func (x *Index) Restore(segments [][]byte) (err error) {
	var all []stored
	for _, segment := range segments {
		records, failed := readSegment(segment)
		if failed != nil {
			err = failed
			continue
		}
		all = append(all, records...)
	}
	slices.SortStableFunc(all, func(a, b stored) int { return cmp.Compare(a.came, b.came) })
	now, room := x.now(), &scratch{}
	for _, r := range all {
		if age := time.Duration(now - r.came); age.Abs() <= x.window { // a clock may have been set back
			x.shardOf(r.key).restore(&r, room)
		}
	}
	return err
}

func readSegment(segment []byte) (all []stored, err error) {
	for len(segment) > 0 {
		if len(segment) < storedSize {
			return nil, errors.New("a record of a segment is cut off")
		}
		number := func(at int) uint64 { return binary.LittleEndian.Uint64(segment[at:]) }
		r := stored{record: record{
			key:  correlation.Key{Hi: number(0), Lo: number(8)},
			came: correlation.Order(number(16)), decided: correlation.Order(number(24)),
			packed: member.Packed(segment[32:storedSize]),
		}}
		if r.key == (correlation.Key{}) {
			return nil, errors.New("a record of a segment has no key")
		}
		segment = segment[storedSize:]
		length := r.packed.StateLen()
		if length > min(correlation.MaxTraceState, len(segment)) {
			return nil, errors.New("a trace state of a segment is cut off")
		}
		r.state, segment = string(segment[:length]), segment[length:]
		all = append(all, r)
	}
	return all, nil
}

// restore adds a record. If the shard has it, and held it, the record may decide it.
func (s *shard) restore(r *stored, room *scratch) {
	s.now = max(s.now, r.came)
	if r.decided != correlation.Undecided {
		s.now = max(s.now, r.decided)
	}
	v := correlation.Request{Key: r.key, Op: correlation.Join}
	r.packed.Unpack(&v.Member, r.state)
	switch isPoisoned := !s.collect(&v, room); {
	case isPoisoned:
	case r.decided == poisoned:
		s.poison(v.Key, r.came, room)
	case room.self == none:
		s.insert(&r.record, r.state)
		s.members++
	case s.at(room.self).decided == correlation.Undecided:
		s.release(room.self, r.decided, room)
	}
}
