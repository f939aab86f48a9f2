package correlationindexextension

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// TestVisitsAreSteps lets many come to the same keys at the same time. Each of them
// finds all that came before and none that came after, whatever the others do.
func TestVisitsAreSteps(t *testing.T) {
	const visitors, keys = 30, 20
	onBoth(t, time.Hour, func(t *testing.T, index bed) {
		var mu sync.Mutex
		found := map[int][]int{} // how many members each visitor found, by key
		var group sync.WaitGroup
		for n := range visitors {
			group.Go(func() {
				batch := make([]correlation.Visit, 0, 2*keys)
				for key := range keys {
					v := hold(key, n)
					v.Limit = visitors
					batch = append(batch, v)
				}
				for key := range keys {
					batch = append(batch, release(key, n))
				}
				assert.NoError(t, index.Visit(t.Context(), batch, func(i int, r correlation.Result) {
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
			for n := range visitors {
				require.Equal(t, n, found[key][n])
			}
			result := visit(t, index, look(key))
			times := map[correlation.Order]bool{}
			for _, m := range result.Members {
				times[m.Came], times[m.Decided] = true, true
			}
			assert.Len(t, times, 2*visitors, "nothing happens at the same time")
		}
	})
}

// TestManyAtATime is for the race detector: visits, snapshots and metrics.
func TestManyAtATime(t *testing.T) {
	l := live(t, newDisk(), nil)
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			var batch [batchOf]correlation.Visit
			for round := range 40 {
				for i := range batch {
					v := correlation.Visit{Key: hashedKey(uint64(i * (round%3*n + 1))), Op: correlation.Op(i % 3), Member: numbered(uint64(i + round)), Limit: 64}
					v.Member.TraceState = "state=of-a-member"[:i%18]
					v.Member.Held = i%2 == 0
					batch[i] = v
				}
				assert.NoError(t, l.Visit(t.Context(), batch[:], func(_ int, r correlation.Result) {
					for i := range r.Members {
						assert.NotEqual(t, correlation.Member{}, r.Members[i])
					}
				}))
			}
		})
	}
	group.Go(func() {
		for range 20 {
			assert.NoError(t, l.snapshots.save(t.Context()))
			assert.Positive(t, l.sum(func(s *shard) int64 { return int64(s.members) + 1 }))
		}
	})
	group.Wait()
	for i := range l.shards {
		requireSound(t, &l.shards[i])
	}
	l.end()
}
