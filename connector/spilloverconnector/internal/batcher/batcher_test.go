// SPDX-License-Identifier: Apache-2.0

package batcher

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
)

// numbers is a request of items of one byte each.
type numbers []int

var signal = Signal[numbers]{
	Size:  func(n numbers) int { return len(n) },
	Merge: func(all []numbers) numbers { return slices.Concat(all...) },
	Split: func(n numbers, most int) []numbers { return slices.Collect(slices.Chunk(n, most)) },
	Room:  func([]numbers) error { return nil },
	Items: func(n numbers) int { return len(n) },
	Cut:   func(n numbers, keep int) (numbers, numbers) { return n[:keep], n[keep:] },
}

// recorder records batches and how many are in flight. A batch takes a second.
type recorder struct {
	mu       sync.Mutex
	batches  []numbers
	inFlight int
	most     int
	answer   func(context.Context, numbers) error
	apart    bool // merged batches are not accepted
}

func (r *recorder) send(ctx context.Context, batch numbers, content Content) error {
	if r.apart && content == Merged {
		return ErrApart
	}
	r.mu.Lock()
	r.batches = append(r.batches, batch)
	r.inFlight++
	r.most = max(r.most, r.inFlight)
	r.mu.Unlock()
	time.Sleep(time.Second)
	r.mu.Lock()
	r.inFlight--
	r.mu.Unlock()
	if r.answer != nil {
		return r.answer(ctx, batch)
	}
	return nil
}

var usual = Settings{FlushTimeout: 100 * time.Millisecond, MinSize: 4, MaxSize: 6, InFlight: 1}

func TestWhatWaitsIsMerged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{}
		b := New(usual, signal, r.send)
		begin := time.Now()
		var all sync.WaitGroup
		for i := range 9 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				assert.NoError(t, b.Consume(t.Context(), numbers{i}))
			})
		}
		all.Wait()
		// The first four are enough. The others gather until the answer to these.
		assert.Equal(t, []numbers{{0, 1, 2, 3}, {4, 5, 6, 7, 8}}, r.batches)
		assert.Equal(t, 2*time.Second+3*time.Millisecond, time.Since(begin))
		b.Shutdown()
	})
}

func TestFlushTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{}
		b := New(usual, signal, r.send)
		begin := time.Now()
		for i := range 2 {
			require.NoError(t, b.Consume(t.Context(), numbers{i}))
		}
		assert.Equal(t, 2*(time.Second+usual.FlushTimeout), time.Since(begin))
		assert.Equal(t, []numbers{{0}, {1}}, r.batches)
		b.Shutdown()
	})
}

func TestLargeRequestsAreSplit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{answer: func(_ context.Context, batch numbers) error {
			if slices.Contains(batch, 99) {
				return errors.New("no")
			}
			return nil
		}}
		b := New(usual, signal, r.send)
		require.NoError(t, b.Consume(t.Context(), numbers{1, 2, 3, 4, 5, 6, 7, 8}))
		assert.Equal(t, []numbers{{1, 2, 3, 4, 5, 6}, {7, 8}}, r.batches)
		require.EqualError(t, b.Consume(t.Context(), numbers{99, 2, 3, 4, 5, 6, 7, 8}), "no")
		assert.Len(t, r.batches, 3, "what comes behind a part that was not accepted")
		b.Shutdown()
	})
}

// A part that is refused for good does not stop the others. An error of a later part that is not for good is the
// sender's answer, so that it sends all again.
func TestRefusedPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		later := error(nil)
		r := &recorder{answer: func(_ context.Context, batch numbers) error {
			if slices.Contains(batch, 99) {
				return consumererror.NewPermanent(errors.New("never"))
			}
			return later
		}}
		b := New(usual, signal, r.send)
		err := b.Consume(t.Context(), numbers{99, 2, 3, 4, 5, 6, 7, 8})
		assert.True(t, consumererror.IsPermanent(err))
		assert.Equal(t, []numbers{{99, 2, 3, 4, 5, 6}, {7, 8}}, r.batches)
		later = errors.New("not now")
		err = b.Consume(t.Context(), numbers{99, 2, 3, 4, 5, 6, 7, 8})
		require.EqualError(t, err, "not now")
		assert.False(t, consumererror.IsPermanent(err))
		b.Shutdown()
	})
}

// When merged requests are to be sent alone, each sender gets the answer to its own data.
func TestApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{apart: true, answer: func(_ context.Context, batch numbers) error {
			if slices.Contains(batch, 99) {
				return errors.New("never")
			}
			return nil
		}}
		b := New(usual, signal, r.send)
		var all sync.WaitGroup
		for i, data := range []numbers{{1, 2}, {99}, {3}} {
			all.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				assert.Equal(t, slices.Contains(data, 99), b.Consume(t.Context(), data) != nil, data)
			})
		}
		all.Wait()
		assert.Equal(t, []numbers{{1, 2}, {99}, {3}}, r.batches)
		b.Shutdown()
	})
}

// A sender that leaves takes a request that waits with it, and waits for the answer to one that was sent.
func TestSenderLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{answer: func(ctx context.Context, _ numbers) error { return ctx.Err() }}
		b := New(usual, signal, r.send)
		leaving, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		require.ErrorIs(t, b.Consume(leaving, numbers{1}), context.DeadlineExceeded)
		time.Sleep(time.Second)
		assert.Empty(t, r.batches)
		leaving, cancel = context.WithCancel(t.Context())
		time.AfterFunc(200*time.Millisecond, cancel)
		require.NoError(t, b.Consume(leaving, numbers{2}), "the batch may have the data of others")
		b.Shutdown()
	})
}

// The context of a batch has the earliest deadline, so that each sender gets its answer in time.
func TestEarliestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{answer: func(ctx context.Context, _ numbers) error {
			deadline, _ := ctx.Deadline()
			return fmt.Errorf("%s", time.Until(deadline).Round(time.Second))
		}}
		b := New(usual, signal, r.send)
		var all sync.WaitGroup
		for _, limit := range []time.Duration{time.Hour, 11 * time.Second, time.Minute} {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				assert.EqualError(t, b.Consume(ctx, numbers{1}), "10s")
			})
		}
		all.Wait()
		b.Shutdown()
	})
}

func TestShutdownAnswersAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{}
		b := New(Settings{FlushTimeout: time.Hour, MinSize: 100, MaxSize: 100, InFlight: 1}, signal, r.send)
		answered := make(chan error, 1)
		go func() { answered <- b.Consume(t.Context(), numbers{1}) }()
		synctest.Wait()
		b.Shutdown()
		require.NoError(t, <-answered)
		assert.Equal(t, []numbers{{1}}, r.batches)
		require.Error(t, b.Consume(t.Context(), numbers{2}))
	})
}

// Of each sender, all items arrive once and in order, no batch is too large, and no more than the limit are in
// flight.
func TestConservation(t *testing.T) {
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			s := Settings{
				FlushTimeout: time.Duration(random.IntN(3)) * time.Second / 2,
				MinSize:      1 + random.IntN(8), InFlight: 1 + random.IntN(3),
			}
			s.MaxSize = s.MinSize + random.IntN(8)
			r := &recorder{}
			b := New(s, signal, r.send)
			var all sync.WaitGroup
			const senders, requests = 5, 20
			want := map[int][]int{}
			for sender := range senders {
				number := sender * 10000
				var of []numbers
				for range requests {
					var n numbers
					for range 1 + random.IntN(20) {
						number++
						n = append(n, number)
					}
					of = append(of, n)
					want[sender] = append(want[sender], n...)
				}
				pause := time.Duration(random.IntN(3000)) * time.Millisecond
				all.Go(func() {
					for _, n := range of {
						time.Sleep(pause)
						assert.NoError(t, b.Consume(t.Context(), n))
					}
				})
			}
			all.Wait()
			b.Shutdown()
			got := map[int][]int{}
			for _, batch := range r.batches {
				assert.LessOrEqual(t, len(batch), s.MaxSize)
				for _, n := range batch {
					got[n/10000] = append(got[n/10000], n)
				}
			}
			assert.Equal(t, want, got)
			assert.LessOrEqual(t, r.most, s.InFlight)
			assert.Zero(t, b.bytes)
			assert.Empty(t, b.waiting)
		})
	}
}
