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
	slots := 5 + random.IntN(60)
	window := time.Duration(1+random.IntN(200)) * tick
	s := new(newShard(1+random.IntN(slots), slots, uint32(window/tick)))
	right := &indextest.Oracle{Window: window, Capacity: uint32(slots)}
	now, start, room := uint64(0), uint64(random.Uint32()), &scratch{} // arrivals wrap
	s.now = start
	for n := range 500 {
		if random.IntN(4) == 0 {
			now += random.Uint64N(40)
		}
		v := indextest.RandomRequest(random, 1+slots/4)
		want := right.Do(v, time.Duration(now)*tick)
		got := s.do(&v, start+now, room)
		require.Equal(t, indextest.Ranked(want), indextest.Ranked(got), "history %d, request %d: %+v", seed, n, v)
		requireSound(t, s)
		require.Equal(t, right.Used(), s.ring.used)
	}
	require.Equal(t, right.Evicted, s.evicted, "history %d", seed)
	require.Equal(t, right.Poisoned, room.poisoned, "history %d", seed)
	s.expire(start+now, math.MaxInt)
	require.Equal(t, right.Members(time.Duration(now)*tick), int64(s.members), "history %d", seed)
}

// A batch that took its time before another can come after it.
func TestLateBatch(t *testing.T) {
	s, room := new(newShard(10, 10, 5)), &scratch{}
	first, second := indextest.Join(1, 1), indextest.Join(1, 2)
	s.do(&first, 8, room)
	require.Equal(t, "1@0 | 1", indextest.Written(s.do(&second, 7, room)))
}

// requireSound looks at what holds at any time, by walking through all records.
func requireSound(t *testing.T, s *shard) {
	newest := map[correlation.Key]uint32{}
	previous := map[uint32]uint32{}
	slots := uint32(0)
	for i := s.ring.tail; slots < s.ring.used; {
		record := &s.ring.slots[i]
		previous[i] = none
		if before, ok := newest[record.key()]; ok {
			previous[i] = before
		}
		newest[record.key()] = i
		slots += record.size()
		i = s.ring.wrap(i + record.size())
	}
	require.Equal(t, s.ring.used, slots)
	for i, before := range previous {
		if s.ring.previous(i) != before {
			require.Equal(t, before, s.ring.previous(i))
		}
	}
	require.Len(t, newest, int(s.keys))
	entries := 0
	for _, entry := range s.table.entries {
		if entry != 0 {
			entries++
		}
	}
	require.Equal(t, len(newest), entries)
	for key, i := range newest {
		at, ok := s.table.find(key, s.ring.slots)
		if !ok || s.table.entries[at] != entryOf(key, i) {
			require.Fail(t, "a key is not found")
		}
	}
}
