// SPDX-License-Identifier: Apache-2.0

package livetail

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// poll returns what a poll returns that must not fail.
func poll(t *testing.T, h *Hub, service string, after uint64) Answer {
	t.Helper()
	answer, err := h.Poll(service, after)
	require.NoError(t, err)
	return answer
}

func numbers(a Answer) (all []uint64) {
	for _, pair := range a.Pairs {
		all = append(all, pair.Seq)
	}
	return all
}

func TestNobodyWatches(t *testing.T) {
	for _, h := range []*Hub{nil, {}} {
		assert.False(t, h.Watched())
		assert.False(t, h.Wants("shop"))
		assert.Zero(t, h.Take("shop", "naming", 5))
		h.Publish("shop", Pair{})
	}
}

func TestWatchEndsAfterLastPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &Hub{}
		poll(t, h, "shop", 0)
		assert.True(t, h.Wants("shop"))
		assert.False(t, h.Wants("other"))
		for range 3 {
			time.Sleep(Deadline - time.Second)
			poll(t, h, "shop", 0)
		}
		h.Publish("shop", Pair{})
		time.Sleep(Deadline - time.Second)
		assert.True(t, h.Wants("shop"))
		time.Sleep(2 * time.Second)
		assert.False(t, h.Wants("shop"))
		assert.False(t, h.Watched())
		assert.Empty(t, poll(t, h, "shop", 0).Pairs, "its pairs are forgotten")
		time.Sleep(2 * Deadline)
	})
}

func TestWatchedServicesAreFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &Hub{}
		for i := range MaxWatched {
			poll(t, h, fmt.Sprint(i), 0)
		}
		_, err := h.Poll("more", 0)
		var busy *BusyError
		require.ErrorAs(t, err, &busy)
		assert.EqualError(t, err, `service: must be one of at most 4 that are watched at one time, or wait 30s until a watch ends (got "more")`)
		assert.False(t, h.Wants("more"))
		poll(t, h, "0", 0) // it is watched already
		time.Sleep(Deadline - time.Second)
		poll(t, h, "0", 0)
		time.Sleep(2 * time.Second)
		poll(t, h, "more", 0)
		assert.True(t, h.Wants("0"))
		assert.False(t, h.Wants("1"))
		time.Sleep(2 * Deadline)
	})
}

func TestPairsAreTheLast(t *testing.T) {
	h := &Hub{}
	h.Publish("shop", Pair{Stage: "too early"})
	assert.Empty(t, poll(t, h, "shop", 0).Pairs)
	poll(t, h, "other", 0)
	h.Publish("other", Pair{})
	for range 3 {
		h.Publish("shop", Pair{})
	}
	first := poll(t, h, "shop", 0)
	assert.Equal(t, []uint64{2, 3, 4}, numbers(first))
	assert.EqualValues(t, 4, first.Last)
	assert.Empty(t, poll(t, h, "shop", first.Last).Pairs)
	assert.Equal(t, []uint64{1}, numbers(poll(t, h, "other", 0)))
	for range MaxPairs + 7 {
		h.Publish("shop", Pair{})
	}
	all := poll(t, h, "shop", 4)
	require.Len(t, all.Pairs, MaxPairs)
	assert.EqualValues(t, 4+8, all.Pairs[0].Seq)
	for i := range all.Pairs {
		assert.Equal(t, all.Pairs[0].Seq+uint64(i), all.Pairs[i].Seq)
	}
	assert.Len(t, poll(t, h, "shop", all.Last-3).Pairs, 3)
	assert.Len(t, poll(t, h, "shop", 1<<60).Pairs, MaxPairs, "the number is of another process")
}

func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &Hub{}
		poll(t, h, "shop", 0)
		taken := map[string]int{}
		const seconds = 5
		for range seconds * 1000 {
			for _, stage := range []string{"naming traces", "naming logs"} {
				taken[stage] += h.Take("shop", stage, 3)
			}
			time.Sleep(time.Millisecond)
		}
		for stage, n := range taken {
			assert.InDelta(t, seconds*MaxRate, n, MaxRate, stage)
		}
		assert.Equal(t, 3, len(h.watch("shop").taken)+1)
		time.Sleep(2 * Deadline)
	})
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	h := &Hub{}
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			var last uint64
			for range 200 {
				answer, err := h.Poll(fmt.Sprint(i%2), last)
				if !assert.NoError(t, err) {
					return
				}
				for _, pair := range answer.Pairs {
					assert.Greater(t, pair.Seq, last)
					last = pair.Seq
				}
			}
		})
		all.Go(func() {
			for n := range 2000 {
				service := fmt.Sprint(n % 3)
				if h.Wants(service) && h.Take(service, fmt.Sprint("stage ", i), 1) >= 0 {
					h.Publish(service, Pair{Rows: []Row{{Place: Name}}})
				}
			}
		})
		all.Go(func() {
			for range 200 {
				if w := h.watch(fmt.Sprint(i % 2)); w != nil && i == 3 {
					h.mu.Lock()
					w.ends = time.Time{}
					h.mu.Unlock()
					h.finish(fmt.Sprint(i%2), w)
				}
			}
		})
	}
	all.Wait()
}

// BenchmarkNobodyWatches is what a component pays for a batch while nobody watches.
func BenchmarkNobodyWatches(b *testing.B) {
	h := &Hub{}
	for b.Loop() {
		if h.Watched() {
			b.Fatal("nobody watches")
		}
	}
}

// BenchmarkTakenEnough is what a component pays for a resource of a watched service of which it has shown enough.
func BenchmarkTakenEnough(b *testing.B) {
	h := &Hub{}
	if _, err := h.Poll("shop", 0); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		h.Take("shop", "naming traces", 4)
	}
}
