// SPDX-License-Identifier: Apache-2.0

package correlationindexextension

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/tests/indextest"
)

// TestRequestsAreAtomic lets many come to the same keys at the same time. Each of them
// finds all that came before and none that came after, whatever the others do.
func TestRequestsAreAtomic(t *testing.T) {
	const members, keys = 30, 20
	onBoth(t, time.Hour, func(t *testing.T, index bed) {
		var mu sync.Mutex
		found := map[int][]int{} // how many members each member found, by key
		var group sync.WaitGroup
		for n := range members {
			group.Go(func() {
				batch := make([]correlation.Request, 0, 2*keys)
				for key := range keys {
					v := indextest.Hold(key, n)
					v.Limit = members
					batch = append(batch, v)
				}
				for key := range keys {
					batch = append(batch, indextest.Release(key, n))
				}
				assert.NoError(t, index.Do(t.Context(), batch, func(i int, r correlation.Result) {
					mu.Lock()
					defer mu.Unlock()
					if i < keys {
						found[i] = append(found[i], len(r.Members))
						assert.Equal(t, correlation.Undecided, r.Decided)
					} else {
						assert.NotEqual(t, correlation.Undecided, r.Decided)
					}
					assert.True(t, slices.IsSortedFunc(r.Members, func(a, b correlation.Member) int { return int(a.Came) - int(b.Came) }))
				}))
			})
		}
		group.Wait()
		for key := range keys {
			slices.Sort(found[key])
			for n := range members {
				require.Equal(t, n, found[key][n])
			}
			result := indextest.One(t, index, indextest.Look(key))
			times := map[correlation.Order]bool{}
			for _, m := range result.Members {
				times[m.Came], times[m.Decided] = true, true
			}
			assert.Len(t, times, 2*members, "nothing happens at the same time")
		}
	})
}

// TestManyAtATime is for the race detector: requests, snapshots and metrics.
func TestManyAtATime(t *testing.T) {
	d := newDisk()
	l := live(t, d, func(cfg *Config) { cfg.SnapshotInterval = time.Millisecond })
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			var batch [indextest.BatchOf]correlation.Request
			for round := range 40 {
				for i := range batch {
					v := correlation.Request{Key: indextest.HashedKey(uint64(i * (round%3*n + 1))), Op: correlation.Op(i % 3), Member: indextest.Numbered(uint64(i + round)), Limit: 64}
					v.Member.TraceState = "state=of-a-member"[:i%18]
					v.Member.Held = i%2 == 0
					batch[i] = v
				}
				assert.NoError(t, l.Do(t.Context(), batch[:], func(_ int, r correlation.Result) {
					for i := range r.Members {
						assert.NotEqual(t, correlation.Member{}, r.Members[i])
					}
				}))
			}
		})
	}
	group.Go(func() {
		for range 20 {
			assert.GreaterOrEqual(t, l.Members(), int64(0))
		}
	})
	group.Wait()
	members := l.Members()
	l.end()
	assert.Positive(t, d.written())
	l = live(t, d, nil)
	assert.Equal(t, members, l.Members())
	l.end()
}
