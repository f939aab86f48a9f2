// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Limits of a delivery. It has at least one value.
const (
	deliveryItems = 1000
	deliveryBytes = 1 << 20
)

// shutdownTimeout is the timeout of Shutdown if its context has no deadline.
const shutdownTimeout = 3 * time.Second

// Start starts the release and delivery of values.
func (q *Queue[T]) Start(context.Context) error {
	// Not the given context, which ends after the start.
	var ctx context.Context
	ctx, q.cancel = context.WithCancel(context.Background())
	go q.run(ctx)
	return nil
}

// Shutdown releases all held values and tries to deliver them until ctx ends, or for 3 s if ctx has no
// deadline. The error contains the number of lost values.
func (q *Queue[T]) Shutdown(ctx context.Context) error {
	if q.cancel == nil {
		return nil // not started
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, shutdownTimeout)
		defer cancel()
	}
	q.endAccepting()
	defer context.AfterFunc(ctx, q.cancel)()
	<-q.ended
	q.cancel()
	if q.lost > 0 {
		return fmt.Errorf("%d held values are lost, because they could not be delivered in time: %w", q.lost, q.lostErr)
	}
	return nil
}

func (q *Queue[T]) endAccepting() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.stopping {
		q.stopping = true
		close(q.stop)
	}
}

func (q *Queue[T]) run(ctx context.Context) {
	defer close(q.ended)
	checked := time.Now()
	for {
		if q.options.Ready != nil && time.Since(checked) >= q.options.Every {
			q.checkReady(ctx)
			checked = time.Now()
		}
		batch, end := q.take()
		switch {
		case len(batch) > 0:
			q.process(ctx, batch)
		case end:
			return
		default:
			q.wait(checked)
		}
	}
}

// checkReady releases the values that Options.Ready selects.
func (q *Queue[T]) checkReady(ctx context.Context) {
	q.mu.Lock()
	items := slices.Clone(q.held)
	q.mu.Unlock()
	if len(items) == 0 {
		return
	}
	ready := make([]bool, len(items))
	q.options.Ready(ctx, values(items), ready)
	for n, i := range items {
		i.ready = ready[n]
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.held = slices.DeleteFunc(q.held, func(i *item[T]) bool {
		if i.ready {
			q.heldSize.add(-1, -i.bytes)
			q.release(i, Ready)
		}
		return i.ready
	})
}

func values[T any](items []*item[T]) []T {
	all := make([]T, len(items))
	for n, i := range items {
		all[n] = i.value
	}
	return all
}

// take returns the next items to deliver. end is true if the queue is empty and stays so.
func (q *Queue[T]) take() (batch []*item[T], end bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	bytes := 0
	for len(batch) < deliveryItems && bytes < deliveryBytes {
		if len(q.released) == 0 {
			switch {
			case len(q.held) > 0 && q.stopping:
				q.releaseNext(Shutdown)
			case len(q.held) > 0 && !q.held[0].due.After(now):
				q.releaseNext(Deadline)
			default:
				q.closed = q.stopping && len(batch) == 0
				return batch, q.closed
			}
		}
		i := q.released[0]
		q.released[0] = nil
		q.released = q.released[1:]
		batch = append(batch, i)
		bytes += i.bytes
	}
	return batch, false
}

// wait waits until there may be something to do.
func (q *Queue[T]) wait(checked time.Time) {
	var due <-chan time.Time
	if at, ok := q.next(checked); ok {
		timer := time.NewTimer(time.Until(at))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-due:
	case <-q.wake:
	case <-q.stop:
	}
}

// next returns when the next value is due or Options.Ready is to be called.
func (q *Queue[T]) next(checked time.Time) (time.Time, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.held) == 0 {
		return time.Time{}, false
	}
	at := q.held[0].due
	if q.options.Ready != nil {
		if again := checked.Add(q.options.Every); again.Before(at) {
			at = again
		}
	}
	return at, true
}

// process releases and delivers a batch.
func (q *Queue[T]) process(ctx context.Context, batch []*item[T]) {
	all := values(batch)
	err := ctx.Err()
	if err == nil {
		q.notifyRelease(ctx, batch, all)
		err = q.deliver(ctx, all)
	}
	bytes := 0
	for _, i := range batch {
		bytes += i.bytes
	}
	q.mu.Lock()
	q.releasedSize.add(-len(batch), -bytes)
	q.mu.Unlock()
	if err == nil {
		return
	}
	if !Refused(err) {
		q.lost += len(all)
		if q.lostErr == nil {
			q.lostErr = err
		}
	}
	q.options.Lost(len(all), err)
}

// notifyRelease calls Options.Release for each run of values with the same reason.
func (q *Queue[T]) notifyRelease(ctx context.Context, batch []*item[T], all []T) {
	first := 0
	for n, i := range batch {
		if n+1 == len(batch) || batch[n+1].why != i.why {
			q.options.Release(ctx, all[first:n+1], i.why)
			first = n + 1
		}
	}
}

// deliver repeats a delivery until it is accepted or refused permanently, or ctx ends.
func (q *Queue[T]) deliver(ctx context.Context, all []T) error {
	err := q.options.Deliver(ctx, all)
	if err == nil || Refused(err) {
		return err
	}
	if q.options.Waits != nil {
		q.options.Waits(err)
	}
	return Retry(ctx, err, q.stop, func() error { return q.options.Deliver(ctx, all) })
}
