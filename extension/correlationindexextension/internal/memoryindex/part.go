package memoryindex

import (
	"container/heap"
	"errors"
	"time"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/member"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// Part holds the living records of one shard. Ages count from its own time, for parts are
// not all taken at once.
type Part struct {
	Seed    uint64
	Time    time.Time
	Ticks   uint32 // at Time
	Records []byte
}

// Parts returns how many parts there are.
func (x *Index) Parts() int { return len(x.shards) }

// Take returns a part, or nil if it has not changed since it was taken before. The shard is
// locked for the copy only. The buffer is for the copy.
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

// Keep has a part taken again, for it could not be stored.
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

// Restore adds the records of all parts, the oldest first and as if they came now. So they fit
// shards of any number and size. The parts must be checked and have one seed.
func (x *Index) Restore(parts []*Part) {
	if len(parts) == 0 {
		return
	}
	x.seed = parts[0].Seed
	now := x.ticks()
	queue := &partQueue{window: uint64(x.shards[0].window), clock: time.Now()}
	for _, p := range parts {
		if r := (&reader{records: p.Records, part: p}); queue.advance(r) {
			queue.readers = append(queue.readers, r)
		}
	}
	heap.Init(queue)
	room := &scratch{}
	for len(queue.readers) > 0 {
		first := queue.readers[0]
		record := (*slot)(first.records)
		x.shardOf(record.key()).restore(record, first.state(), now-first.age, room)
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

// reader reads a part, and is before the record of this age.
type reader struct {
	part    *Part
	records []byte // that are left
	age     uint64 // in ticks
	first   int    // bytes of the record
}

func (r *reader) state() string {
	return string(r.records[slotSize:][:(*slot)(r.records).packed().StateLen()])
}

// partQueue has the reader with the oldest record first.
type partQueue struct {
	readers []*reader
	clock   time.Time // now
	window  uint64    // in ticks
}

// advance goes to a reader's next record that is not expired.
func (q *partQueue) advance(r *reader) bool {
	down := uint64(max(q.clock.Sub(r.part.Time), 0) / tick)
	for {
		r.records = r.records[r.first:]
		if len(r.records) == 0 {
			return false
		}
		record := (*slot)(r.records)
		r.first = int(record.size()) * slotSize
		r.age = uint64(r.part.Ticks-record.arrival()) + down
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
