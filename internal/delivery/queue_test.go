// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.uber.org/goleak"
	"go.uber.org/multierr"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errBusy = errors.New("busy")

// next is the component after the queue. It is safe for concurrent use.
type next struct {
	mu        sync.Mutex
	answer    func(values []int) error // nil accepts all
	delivered []int
	at        []time.Duration
	released  map[int]Reason
	releases  []int // the number of values in each call
	attempts  int
	lost      int
	lostErrs  []error
	waits     int
	began     time.Time
}

func (n *next) options() Options[int] {
	n.released = map[int]Reason{}
	n.began = time.Now()
	return Options[int]{
		MaxItems: 100, MaxBytes: 1000,
		Release: func(_ context.Context, values []int, why Reason) {
			n.releases = append(n.releases, len(values))
			for _, v := range values {
				if _, again := n.released[v]; again {
					panic("released twice")
				}
				n.released[v] = why
			}
		},
		Deliver: func(ctx context.Context, values []int) error {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.attempts++
			if err := ctx.Err(); err != nil {
				return err
			}
			if n.answer != nil {
				if err := n.answer(values); err != nil {
					return err
				}
			}
			n.delivered = append(n.delivered, values...)
			for range values {
				n.at = append(n.at, time.Since(n.began))
			}
			return nil
		},
		Lost: func(values int, err error) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.lost += values
			n.lostErrs = append(n.lostErrs, err)
		},
		Waits: func(error) { n.waits++ },
	}
}

func (n *next) answers(answer func([]int) error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.answer = answer
}

// items returns the number of values in a queue, held or released.
func items(q *Queue[int]) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.heldSize.items + q.releasedSize.items
}

// run runs a test with a queue in a synctest bubble.
func run(t *testing.T, change func(*Options[int]), f func(t *testing.T, q *Queue[int], n *next)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := &next{}
		options := n.options()
		if change != nil {
			change(&options)
		}
		q := NewQueue(options)
		assert.NoError(t, q.Start(t.Context()))
		f(t, q, n)
		_ = q.Shutdown(context.Background())
	})
}

func TestValuesAreReleasedWhenDue(t *testing.T) {
	run(t, nil, func(t *testing.T, q *Queue[int], n *next) {
		q.Hold(6, 1, 6*time.Second)
		q.Hold(2, 1, 2*time.Second)
		q.Hold(4, 1, 4*time.Second)
		q.Hold(0, 1, 0)
		assert.Equal(t, 4, items(q))
		time.Sleep(10 * time.Second)
		synctest.Wait()
		assert.Equal(t, []int{0, 2, 4, 6}, n.delivered)
		assert.Equal(t, []time.Duration{0, 2 * time.Second, 4 * time.Second, 6 * time.Second}, n.at)
		assert.Equal(t, map[int]Reason{0: Deadline, 2: Deadline, 4: Deadline, 6: Deadline}, n.released)
		assert.Zero(t, items(q))
	})
}

func TestReadyValuesAreReleasedEarly(t *testing.T) {
	asked := 0
	run(t, func(o *Options[int]) {
		o.Every = 100 * time.Millisecond
		o.Ready = func(_ context.Context, values []int, ready []bool) {
			asked++
			for i, v := range values {
				ready[i] = v%2 == 0
			}
		}
	}, func(t *testing.T, q *Queue[int], n *next) {
		time.Sleep(time.Minute)
		assert.Zero(t, asked, "nothing is held")
		n.began = time.Now()
		for v := range 4 {
			q.Hold(v, 1, time.Second)
		}
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		n.mu.Lock()
		assert.Equal(t, []int{0, 2}, n.delivered)
		n.mu.Unlock()
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, map[int]Reason{0: Ready, 2: Ready, 1: Deadline, 3: Deadline}, n.released)
		assert.LessOrEqual(t, n.at[1], 100*time.Millisecond)
		assert.Equal(t, time.Second, n.at[3])
	})
}

func TestOverflowReleasesTheNextDue(t *testing.T) {
	run(t, nil, func(t *testing.T, q *Queue[int], n *next) {
		for v := range 200 {
			q.Hold(v, 1, time.Hour)
		}
		synctest.Wait()
		assert.Len(t, n.delivered, 100)
		assert.Equal(t, 99, n.delivered[99])
		assert.Equal(t, Overflow, n.released[0])
		assert.Equal(t, 100, items(q))
		q.Hold(200, 995, time.Hour)
		synctest.Wait()
		assert.Equal(t, 6, items(q), "bytes are limited too")
		q.Hold(201, 5000, time.Hour)
		synctest.Wait()
		assert.Equal(t, 6, items(q), "it releases no other values")
		assert.Equal(t, 201, n.delivered[195])
	})
}

func TestDeliveriesAreRepeatedUntilAccepted(t *testing.T) {
	run(t, nil, func(t *testing.T, q *Queue[int], n *next) {
		n.answers(func([]int) error { return errBusy })
		q.Hold(1, 1, time.Second)
		q.Hold(2, 1, time.Second)
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Equal(t, 1, n.waits)
		assert.Equal(t, 2, items(q))
		n.answers(nil)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		assert.Equal(t, []int{1, 2}, n.delivered)
		assert.Equal(t, []int{2}, n.releases, "released once")
		assert.Less(t, n.attempts, 1000)
		assert.Zero(t, n.lost)
	})
}

func TestPermanentRefusal(t *testing.T) {
	permanent := consumererror.NewPermanent(errBusy)
	f := func(answer error, wantLost int) {
		t.Helper()
		run(t, nil, func(t *testing.T, q *Queue[int], n *next) {
			n.answers(func([]int) error { return answer })
			q.Hold(1, 1, time.Second)
			time.Sleep(time.Minute)
			synctest.Wait()
			assert.Equal(t, wantLost, n.lost)
			assert.Equal(t, 1-wantLost, items(q))
			assert.Equal(t, wantLost == 1, q.Shutdown(context.Background()) == nil, "refused values are reported at once, the rest at the end")
		})
	}
	f(permanent, 1)
	f(multierr.Append(permanent, permanent), 1)
	f(multierr.Append(permanent, errBusy), 0)
	f(errBusy, 0)
}

func TestNothingIsAcceptedWhileTheNextComponentBlocks(t *testing.T) {
	run(t, nil, func(t *testing.T, q *Queue[int], n *next) {
		assert.True(t, q.Accepts(200, 1))
		assert.False(t, q.Accepts(201, 1))
		assert.False(t, q.Accepts(1, 2001))
		n.answers(func([]int) error { return errBusy })
		held := 0
		for ; q.Accepts(1, 1); held++ {
			q.Hold(held, 1, time.Second)
			time.Sleep(time.Second / 10)
		}
		assert.Equal(t, 200, held)
		n.answers(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.True(t, q.Accepts(200, 1))
		assert.Len(t, n.delivered, held)
	})
}

func TestShutdownDeliversAll(t *testing.T) {
	run(t, func(o *Options[int]) { o.MaxItems, o.MaxBytes = 10_000, 1<<20 }, func(t *testing.T, q *Queue[int], n *next) {
		for v := range 10_000 {
			q.Hold(v, 1, time.Duration(1+v%100)*time.Minute)
		}
		assert.NoError(t, q.Shutdown(context.Background()))
		assert.Len(t, n.delivered, 10_000)
		assert.Len(t, n.releases, 10, "deliveries are limited")
		assert.Equal(t, Shutdown, n.released[0])
		assert.False(t, q.Accepts(1, 1))
		assert.NoError(t, q.Shutdown(context.Background()))

		q.Hold(1, 1, 0)
		assert.Equal(t, []error{errStopped}, n.lostErrs, "the loss is reported")
	})
}

func TestShutdownEndsWithItsContext(t *testing.T) {
	f := func(timeout, want time.Duration) {
		t.Helper()
		run(t, nil, func(t *testing.T, q *Queue[int], n *next) {
			n.answers(func([]int) error { return errBusy })
			for v := range 50 {
				q.Hold(v, 1, time.Duration(v)*time.Second)
			}
			time.Sleep(20 * time.Second)
			ctx := context.Background()
			if timeout > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, timeout)
				defer cancel()
			}
			began := time.Now()
			assert.EqualError(t, q.Shutdown(ctx), "50 held values are lost, because they could not be delivered in time: busy")
			assert.Equal(t, want, time.Since(began))
			assert.Equal(t, 50, n.lost)
		})
	}
	f(time.Second, time.Second)
	f(0, shutdownTimeout)
}

// TestShutdownEndsADelivery checks that Shutdown ends a delivery to a next component that is slow.
func TestShutdownEndsADelivery(t *testing.T) {
	run(t, func(o *Options[int]) {
		o.Deliver = func(ctx context.Context, _ []int) error { <-ctx.Done(); return ctx.Err() }
	}, func(t *testing.T, q *Queue[int], n *next) {
		q.Hold(1, 1, 0)
		synctest.Wait()
		assert.ErrorIs(t, q.Shutdown(context.Background()), context.Canceled)
		assert.Equal(t, 1, n.lost)
	})
}

// TestShutdownRetriesAtOnce checks that Shutdown retries at once, because the next component may be
// available again.
func TestShutdownRetriesAtOnce(t *testing.T) {
	run(t, nil, func(t *testing.T, q *Queue[int], n *next) {
		n.answers(func([]int) error { return errBusy })
		q.Hold(1, 1, 0)
		time.Sleep(time.Hour)
		n.answers(nil)
		began := time.Now()
		assert.NoError(t, q.Shutdown(context.Background()))
		assert.Less(t, time.Since(began), time.Millisecond)
		assert.Equal(t, []int{1}, n.delivered)
	})
}

func TestDeliveriesAreBoundedInBytes(t *testing.T) {
	run(t, func(o *Options[int]) { o.MaxBytes = 100 << 20 }, func(t *testing.T, q *Queue[int], n *next) {
		for v := range 10 {
			q.Hold(v, deliveryBytes/2, time.Second)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []int{2, 2, 2, 2, 2}, n.releases)
	})
}

func TestShutdownWithoutStart(t *testing.T) {
	n := &next{}
	assert.NoError(t, NewQueue(n.options()).Shutdown(t.Context()))
}
