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
	releases  []int // the number of values in each call
	lost      int
}

func (n *next) options() Options[int] {
	return Options[int]{
		MaxItems: 100, MaxBytes: 1000,
		Release: func(_ context.Context, values []int, _ Reason) { n.releases = append(n.releases, len(values)) },
		Deliver: func(ctx context.Context, values []int) error {
			n.mu.Lock()
			defer n.mu.Unlock()
			if err := ctx.Err(); err != nil {
				return err
			}
			if n.answer != nil {
				if err := n.answer(values); err != nil {
					return err
				}
			}
			n.delivered = append(n.delivered, values...)
			return nil
		},
		Lost: func(values int, _ error) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.lost += values
		},
		Waits: func(error) {},
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
		assert.False(t, q.Accepts(1, 1))
		q.Hold(1, 1, 0)
		assert.Equal(t, 2, n.lost, "the loss is reported")
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
