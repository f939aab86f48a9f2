// SPDX-License-Identifier: Apache-2.0

// Package memoryindex remembers members in the memory of this process.
//
// An index has shards, each with its own lock. All members of a key are in one shard. A shard has a
// ring of records in the order in which they came, and a hash table of the newest record of each
// key. Each record refers to the one before it with the same key. The oldest records make room for
// new ones.
package memoryindex

import (
	"context"
	"math"
	"math/bits"
	"sync"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// Index is the index of one collector. It is safe for concurrent use.
type Index struct {
	// OnPoisoned is called with the number of keys that requests have poisoned.
	OnPoisoned func(context.Context, int64)

	store     func(Changes) // nil: changes are not noted
	window    time.Duration
	shards    []shard
	origin    time.Time // tick 0
	scratches sync.Pool // of *scratch
}

const (
	// shardBytes is the memory of a shard: an entry of its table can count its slots.
	shardBytes = 1 << 20
	// minShards is how many shards, each with its lock, a small index has.
	minShards = 16
	// A table is at most 3/4 full.
	loadOver, loadUnder = 3, 4

	entrySize = 4
	// pageBytes is the size of a page of Go's heap.
	pageBytes = 8 << 10

	// tick is the unit of arrivals. Their 32 bits wrap after two years.
	tick = time.Second / 64
)

// New returns an empty index that grows with its members to at most this many MiB.
func New(mib int, window time.Duration) *Index {
	count := max(mib, minShards)
	most := slotsIn(mib * shardBytes / count)
	x := &Index{
		OnPoisoned: func(context.Context, int64) {},
		window:     window,
		shards:     make([]shard, count),
		origin:     time.Now(),
		scratches:  sync.Pool{New: func() any { return new(scratch) }},
	}
	for i := range x.shards {
		x.shards[i] = newShard(min(firstSlots, most), most, uint32((window+tick-1)/tick))
	}
	return x
}

// slotsIn returns how many slots fit in a number of bytes with their table, each in whole pages.
func slotsIn(bytes int) int {
	slots := (bytes - entrySize) * loadOver / (loadOver*slotSize + loadUnder*entrySize)
	for inPages(slots*slotSize)+inPages(entriesFor(slots)*entrySize) > bytes {
		slots--
	}
	return slots
}

func inPages(bytes int) int { return (bytes + pageBytes - 1) / pageBytes * pageBytes }

func entriesFor(slots int) int { return slots*loadUnder/loadOver + 1 }

// ticks returns the time, which begins one window after 0. So the arrivals of restored records are
// after 0.
func (x *Index) ticks() uint64 {
	return uint64((time.Since(x.origin) + x.window + tick) / tick)
}

// Do implements correlation.Index. It never fails, and allocates for trace states only.
func (x *Index) Do(ctx context.Context, requests []correlation.Request, found func(int, correlation.Result)) error {
	now := x.ticks()
	room := x.scratches.Get().(*scratch)
	for i := range requests {
		found(i, x.shardOf(requests[i].Key).do(&requests[i], now, room))
	}
	if room.poisoned > 0 {
		x.OnPoisoned(ctx, room.poisoned)
		room.poisoned = 0
	}
	if len(room.changed) > 0 {
		x.store(Changes{x, room.changed})
		room.changed = room.changed[:0]
	}
	x.scratches.Put(room)
	return nil
}

// shardOf uses only the bits of a key that slots keep, so that it finds the shards of restored
// keys.
func (x *Index) shardOf(key correlation.Key) *shard {
	i, _ := bits.Mul64(key.Hi<<16, uint64(len(x.shards)))
	return &x.shards[i]
}

// Members returns how many members are remembered.
func (x *Index) Members() int64 { return x.sum(func(s *shard) int64 { return int64(s.members) }) }

// Bytes returns how much memory the members take.
func (x *Index) Bytes() int64 {
	return x.sum(func(s *shard) int64 { return int64(s.ring.used)*slotSize + int64(s.keys)*entrySize })
}

// Evicted returns how many members were forgotten before their time.
func (x *Index) Evicted() int64 { return x.sum(func(s *shard) int64 { return int64(s.evicted) }) }

// sum adds up the shards, after it has removed expired records.
func (x *Index) sum(value func(*shard) int64) (total int64) {
	now := x.ticks()
	for i := range x.shards {
		s := &x.shards[i]
		s.mu.Lock()
		s.expire(s.advance(now), math.MaxInt)
		total += value(s)
		s.mu.Unlock()
	}
	return total
}
