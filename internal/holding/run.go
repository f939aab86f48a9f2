package holding

import (
	"context"
	"fmt"
	"time"
)

// A delivery has at most so much, and at least one value.
const (
	deliveryItems = 1000
	deliveryBytes = 1 << 20
)

// shutdownTimeout is how long Shutdown tries where its context says nothing.
const shutdownTimeout = 3 * time.Second

// Start begins to pass on what is due.
func (q *Queue[T]) Start(context.Context) error {
	// A component's life is longer than the context it is started with.
	var ctx context.Context
	ctx, q.cancel = context.WithCancel(context.Background())
	go q.run(ctx)
	return nil
}

// Shutdown lets all go that is held, and tries to deliver it until ctx ends, or for 3 s
// if it has no deadline. The error has the number of lost values.
func (q *Queue[T]) Shutdown(ctx context.Context) error {
	if q.cancel == nil {
		return nil // never started
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
	if q.left > 0 {
		return fmt.Errorf("%d held values are lost, which could not be passed on in time: %w", q.left, q.leftErr)
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
	asked := time.Now()
	for {
		if q.options.Ready != nil && time.Since(asked) >= q.options.Every {
			q.ask(ctx)
			asked = time.Now()
		}
		batch, end := q.take()
		switch {
		case len(batch) > 0:
			q.pass(ctx, batch)
		case end:
			return
		default:
			q.wait(asked)
		}
	}
}

// ask lets go what Ready says.
func (q *Queue[T]) ask(ctx context.Context) {
	q.mu.Lock()
	items := append([]*item[T](nil), q.held...)
	q.mu.Unlock()
	if len(items) == 0 {
		return
	}
	ready := make([]bool, len(items))
	q.options.Ready(ctx, values(items), ready)
	q.mu.Lock()
	defer q.mu.Unlock()
	for n, i := range items {
		// It may have had to make room meanwhile.
		if ready[n] && i.at != away {
			q.letGo(i, Ready)
		}
	}
}

func values[T any](items []*item[T]) []T {
	all := make([]T, len(items))
	for n, i := range items {
		all[n] = i.value
	}
	return all
}

// take returns what is to be delivered next. end is true when nothing is left and nothing
// will come.
func (q *Queue[T]) take() (batch []*item[T], end bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	bytes := 0
	for len(batch) < deliveryItems && bytes < deliveryBytes {
		if len(q.goes) == 0 {
			switch {
			case len(q.held) > 0 && q.stopping:
				q.letGo(q.held[0], Shutdown)
			case len(q.held) > 0 && !q.held[0].due.After(now):
				q.letGo(q.held[0], Deadline)
			default:
				q.empty = q.stopping && len(batch) == 0
				return batch, q.empty
			}
		}
		i := q.goes[0]
		q.goes[0] = nil
		q.goes = q.goes[1:]
		batch = append(batch, i)
		bytes += i.bytes
	}
	return batch, false
}

// wait waits until there may be something to do.
func (q *Queue[T]) wait(asked time.Time) {
	var due <-chan time.Time
	if at, ok := q.next(asked); ok {
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

// next is when something is due, or Ready is to be asked again.
func (q *Queue[T]) next(asked time.Time) (time.Time, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.held) == 0 {
		return time.Time{}, false
	}
	at := q.held[0].due
	if q.options.Ready != nil {
		if again := asked.Add(q.options.Every); again.Before(at) {
			at = again
		}
	}
	return at, true
}
