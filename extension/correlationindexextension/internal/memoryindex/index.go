// SPDX-License-Identifier: Apache-2.0

// Package memoryindex remembers members in the memory of this process.
//
// An index has shards, each with its own lock. All members of a key are in one shard. A shard has a
// ring of records in the order in which they came, and a map of the newest record of each
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
	begun     time.Time
	scratches sync.Pool // of *scratch
}

const (
	// shardBytes is the memory of a shard of a large index.
	shardBytes = 1 << 20
	// minShards is how many shards a small index has.
	minShards = 16
)

// New returns an empty index that grows with its members to at most this many MiB.
func New(mib int, window time.Duration) *Index {
	count := max(mib, minShards)
	x := &Index{
		OnPoisoned: func(context.Context, int64) {},
		window:     window,
		shards:     make([]shard, count),
		begun:      time.Now(),
		scratches:  sync.Pool{New: func() any { return new(scratch) }},
	}
	for i := range x.shards {
		x.shards[i] = newShard(mib*shardBytes/count, window)
	}
	return x
}

// now returns the time in nanoseconds since 1970, by a clock that is never set.
func (x *Index) now() correlation.Order {
	return correlation.Order(x.begun.UnixNano() + int64(time.Since(x.begun)))
}

// Do implements correlation.Index. It never fails, and allocates for trace states only.
func (x *Index) Do(ctx context.Context, requests []correlation.Request, found func(int, correlation.Result)) error {
	now := x.now()
	room := x.scratches.Get().(*scratch)
	for i := range requests {
		found(i, x.shardOf(requests[i].Key).do(&requests[i], now, room))
	}
	if room.poisoned > 0 {
		x.OnPoisoned(ctx, room.poisoned)
		room.poisoned = 0
	}
	if len(room.changed) > 0 {
		x.store(room.changed)
		room.changed = room.changed[:0]
	}
	x.scratches.Put(room)
	return nil
}

func (x *Index) shardOf(key correlation.Key) *shard {
	i, _ := bits.Mul64(key.Hi, uint64(len(x.shards)))
	return &x.shards[i]
}

// Members returns how many members are remembered.
func (x *Index) Members() int64 { return x.sum(func(s *shard) int64 { return int64(s.members) }) }

// Bytes returns how much memory the members take.
func (x *Index) Bytes() int64 {
	return x.sum(func(s *shard) int64 { return int64(s.bytes) })
}

// Evicted returns how many members were forgotten before their time.
func (x *Index) Evicted() int64 { return x.sum(func(s *shard) int64 { return int64(s.evicted) }) }

// sum adds up the shards, after it has removed expired records.
func (x *Index) sum(value func(*shard) int64) (total int64) {
	now := x.now()
	for i := range x.shards {
		s := &x.shards[i]
		s.mu.Lock()
		s.advance(now)
		s.expire(math.MaxInt)
		total += value(s)
		s.mu.Unlock()
	}
	return total
}
