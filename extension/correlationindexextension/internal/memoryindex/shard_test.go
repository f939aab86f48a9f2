// SPDX-License-Identifier: Apache-2.0

package memoryindex

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/tests/indextest"
)

// TestRandomHistories compares shards so small that members come and go all the time
// with the oracle.
func TestRandomHistories(t *testing.T) {
	histories := 300
	if more, err := strconv.Atoi(os.Getenv("TC_HISTORIES")); err == nil {
		histories = more
	}
	for seed := range uint64(histories) {
		playHistory(t, seed)
	}
}

func playHistory(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	room := 5 + random.IntN(60)
	window := time.Duration(1 + random.IntN(200))
	s := new(newShard(room*recordBytes, window))
	right := &indextest.Oracle{Window: window, Capacity: room * recordBytes}
	s.oldest = 1<<32 - random.Uint64N(300) // the lower bits of numbers wrap
	s.next = s.oldest
	now, own := time.Duration(0), &scratch{}
	for n := range 500 {
		now++
		if random.IntN(4) == 0 {
			now += time.Duration(random.IntN(40))
		}
		v := indextest.RandomRequest(random, 1+room/4)
		want := right.Do(v, now)
		got := s.do(&v, correlation.Order(now), own)
		require.Equal(t, indextest.Ranked(want), indextest.Ranked(got), "history %d, request %d: %+v", seed, n, v)
		requireSound(t, s)
		require.Equal(t, right.Used(), s.bytes)
	}
	require.Equal(t, right.Evicted, uint64(s.evicted), "history %d", seed)
	require.Equal(t, right.Poisoned, own.poisoned, "history %d", seed)
	s.expire(math.MaxInt)
	require.Equal(t, right.Members(now), int64(s.members), "history %d", seed)
}

// A batch that took its time before another can come after it.
func TestLateBatch(t *testing.T) {
	s, own := new(newShard(10*recordBytes, 5)), &scratch{}
	first, second := indextest.Join(1, 1), indextest.Join(1, 2)
	s.do(&first, 8, own)
	require.Equal(t, "1@1 | 2", indextest.Written(indextest.Ranked(s.do(&second, 7, own))))
}

// Keys with the same tag are others.
func TestKeysOfOneTag(t *testing.T) {
	s, own := new(newShard(100*recordBytes, 100)), &scratch{}
	first, other := indextest.Join(1, 1), indextest.Join(1, 2)
	other.Key.Hi++
	s.do(&first, 1, own)
	s.do(&other, 2, own)
	first.Member = indextest.Member(3)
	require.Equal(t, "1@1 | 2", indextest.Written(indextest.Ranked(s.do(&first, 3, own))))
	other.Op = correlation.Look
	require.Equal(t, "2@1 | 2", indextest.Written(indextest.Ranked(s.do(&other, 4, own))))
	requireSound(t, s)
}

// requireSound looks at what holds at any time, by walking through all records.
func requireSound(t *testing.T, s *shard) {
	newest := map[uint32]uint64{}
	states, bytes := 0, 0
	for n := s.oldest; n < s.next; n++ {
		r := s.at(n)
		if r.key == (correlation.Key{}) {
			continue // its tag is not known any more
		}
		newest[tagOf(r.key)] = n
	}
	for n := s.oldest; n < s.next; n++ {
		length := s.at(n).packed.StateLen()
		require.Len(t, s.states[n], length)
		bytes += sizeWith(length)
		if length > 0 {
			states++
		}
	}
	require.Equal(t, s.bytes, bytes)
	require.Len(t, s.states, states)
	require.Len(t, s.newest, len(newest))
	for tag, n := range newest {
		if s.last(tag) != n {
			require.Equal(t, n, s.last(tag))
		}
		for before := s.before(n); before != none; before = s.before(before) {
			if r := s.at(before); r.key != (correlation.Key{}) {
				require.Equal(t, tag, tagOf(r.key))
			}
		}
	}
}
