// SPDX-License-Identifier: Apache-2.0

package fairshare

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A service that has filled the table has to give room to another.
func TestLargestServiceLosesOldest(t *testing.T) {
	var forgotten []int
	table := New(Limits{Entries: 12, Service: 12, Services: 4}, func(key int, value string) {
		assert.Equal(t, fmt.Sprint(key), value)
		forgotten = append(forgotten, key)
	})
	for i := range 12 {
		require.True(t, table.Put("a", i, fmt.Sprint(i)))
	}
	assert.False(t, table.Put("a", 12, "12"), "full, and nobody else to give")
	_, ok := table.Get("a", 0)
	assert.True(t, ok, "seen again: no longer the oldest")

	for i := range 6 {
		assert.True(t, table.Put("b", i, fmt.Sprint(i)), "half is its share")
	}
	assert.Equal(t, []int{1, 2, 3, 4, 5, 6}, forgotten)
	assert.False(t, table.Put("b", 6, "6"))
	assert.False(t, table.Put("a", 12, "12"))
	assert.Equal(t, 12, table.Len())

	// A fifth service is one too many: a is the least recently used.
	table.Put("c", 0, "0")
	table.Put("d", 0, "0")
	_, _ = table.Get("b", 0)
	assert.True(t, table.Put("e", 0, "0"))
	_, ok = table.Get("a", 0)
	assert.False(t, ok)
}

func TestUnusedEntriesAreRemoved(t *testing.T) {
	table := New[int, int](Limits{Entries: 100, Service: 100, Services: 10, Periods: 3}, nil)
	table.Put("a", 1, 1)
	table.Put("a", 2, 2)
	table.Put("b", 3, 3)
	for period := range 10 {
		table.Advance()
		_, ok := table.Get("a", 1)
		assert.True(t, ok, "in period %d", period)
	}
	assert.Equal(t, 1, table.Len())
	assert.Len(t, table.services, 1)
}

// For random calls, the bounds hold, each service can have its share, and each removed entry is
// reported.
func TestBoundsHold(t *testing.T) {
	limits := Limits{Entries: 64, Service: 32, Services: 8, Periods: 4}
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		held := map[int]bool{}
		table := New(limits, func(key int, _ string) {
			require.True(t, held[key])
			delete(held, key)
		})
		for i := range 500 {
			service := fmt.Sprint(r.IntN(12))
			if r.IntN(4) == 0 {
				service = "flood"
			}
			before := 0
			if s := table.services[service]; s != nil {
				before = len(s.entries)
			}
			admitted := table.Put(service, i, service)
			if admitted {
				held[i] = true
			}
			require.True(t, admitted || before >= limits.Entries/limits.Services, "seed %d: %s with %d", seed, service, before)
			require.LessOrEqual(t, len(table.services), limits.Services)
			require.LessOrEqual(t, table.Len(), limits.Entries)
			if r.IntN(100) == 0 {
				table.Advance()
			}
			n := 0
			for owner, s := range table.services {
				for key, e := range s.entries {
					if e.value != owner || !held[key] {
						t.Fatalf("seed %d: %d of %s is not held", seed, key, owner)
					}
					n++
				}
			}
			require.Equal(t, n, table.Len())
			require.Len(t, held, n)
			for _, s := range table.services {
				require.LessOrEqual(t, len(s.entries), limits.Service)
			}
		}
	}
}
