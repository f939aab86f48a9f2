package correlationindexextension

import (
	"container/heap"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// restore adds what parts hold, the oldest first and as if it came now, so that it fits
// shards of any number and size.
func (m *memory) restore(parts []*part) {
	now := m.ticks()
	queue := &partQueue{window: uint64(m.shards[0].window), clock: time.Now()}
	for _, p := range parts {
		if r := (&reader{part: p}); queue.advance(r) {
			queue.readers = append(queue.readers, r)
		}
	}
	heap.Init(queue)
	room := &scratch{}
	for len(queue.readers) > 0 {
		first := queue.readers[0]
		record := (*slot)(first.records)
		m.shards[m.shardOf(record.key())].restore(record, first.state(), now-first.age, room)
		if queue.advance(first) {
			heap.Fix(queue, 0)
		} else {
			heap.Pop(queue)
		}
	}
}

// restore adds a record, unless it is there: one can be in two parts when the shards
// have become more or fewer.
func (s *shard) restore(record *slot, state string, now uint64, room *scratch) {
	now = s.advance(now)
	v := correlation.Visit{Key: record.key(), Op: correlation.Join}
	record.packed().unpack(&v.Member, state)
	switch poisoned := !s.collect(&v, now, room); {
	case poisoned || room.self != none:
	case record.is(metaPoisoned):
		s.poison(v.Key, now, room)
	default:
		added := s.add(v.Key, record.packed(), state, now)
		added.setCame(record.came())
		added.setDecided(record.decided())
	}
}

// reader reads a part. It is before the record of this age.
type reader struct {
	*part
	age   uint64 // in ticks
	first int    // bytes of the record
}

func (r *reader) state() string {
	return string(r.records[slotSize:][:(*slot)(r.records).stateLen()])
}

// partQueue has the reader with the oldest record first.
type partQueue struct {
	readers []*reader
	clock   time.Time // now
	window  uint64    // in ticks
}

// advance goes to a reader's next record that is not expired.
func (q *partQueue) advance(r *reader) bool {
	down := uint64(max(q.clock.Sub(r.time), 0) / tick)
	for {
		r.records = r.records[r.first:]
		if len(r.records) == 0 {
			return false
		}
		record := (*slot)(r.records)
		r.first = int(record.size()) * slotSize
		r.age = uint64(r.ticks-record.arrival()) + down
		if r.age <= q.window {
			return true
		}
	}
}

// The queue is a heap.

func (q *partQueue) Len() int           { return len(q.readers) }
func (q *partQueue) Less(i, j int) bool { return q.readers[i].age > q.readers[j].age }
func (q *partQueue) Swap(i, j int)      { q.readers[i], q.readers[j] = q.readers[j], q.readers[i] }

// Push is never called.
func (q *partQueue) Push(any) {}

// Pop removes the last reader.
func (q *partQueue) Pop() any {
	last := len(q.readers) - 1
	q.readers = q.readers[:last]
	return nil
}
