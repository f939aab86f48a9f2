// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Options are the limits and the callbacks of a Queue. The queue's goroutine calls the functions one at a
// time.
type Options[T any] struct {
	// MaxItems and MaxBytes limit the held values. Above a limit, the queue releases the values that are
	// due next. Released values that are not yet delivered may take as much again.
	MaxItems, MaxBytes int
	// Release is called once for released values, before their delivery. It may change what they point to.
	Release func(ctx context.Context, values []T, why Reason)
	// Deliver sends values to the next component. After an error that is not permanent it is called again
	// with the same values. It must render them anew, because a consumer may have changed the data of an
	// earlier attempt.
	Deliver func(ctx context.Context, values []T) error
	// Lost is called for values that are refused permanently, that are left when the context of Shutdown
	// ends, or that Hold gets after Shutdown.
	Lost func(values int, err error)
	// Waits is called once for a delivery that will be retried. Optional.
	Waits func(err error)
	// Ready is called with all held values at the interval Every. It sets ready[i] to release values[i].
	// It may change what they point to, but must not keep the slices. Optional.
	Ready func(ctx context.Context, values []T, ready []bool)
	Every time.Duration
}

// Reason is why a value is released.
type Reason uint8

// The reasons for a release.
const (
	Deadline Reason = iota
	Ready           // Options.Ready released it
	Overflow
	Shutdown
	ReasonCount
)

func (r Reason) String() string {
	return [ReasonCount]string{"deadline", "ready", "overflow", "shutdown"}[r]
}

// Queue holds values until they are due, and then delivers them. Each value that it accepts is delivered once or
// reported as lost. It retries deliveries that fail, and Shutdown delivers what is still held. It is safe for concurrent
// use.
type Queue[T any] struct {
	options Options[T]
	wake    chan struct{} // the next due time may be earlier, or values were released
	stop    chan struct{} // closed by Shutdown
	ended   chan struct{} // closed when the goroutine ends
	cancel  context.CancelFunc

	// These belong to the goroutine until it has ended.
	lost    int // values left when Shutdown's context ended
	lostErr error

	mu           sync.Mutex
	held         []*item[T] // by due time, then by arrival
	released     []*item[T] // in this order, and not yet taken by the goroutine
	heldSize     size       // of held
	releasedSize size       // of released, and of the delivery in progress
	stopping     bool
	closed       bool // Hold loses every value from now on
}

// item is a value with what decides when it goes on.
type item[T any] struct {
	value T
	bytes int
	due   time.Time
	ready bool // the goroutine's: Options.Ready has released it
	why   Reason
}

// size is a number of items and their bytes.
type size struct{ items, bytes int }

func (s *size) add(items, bytes int) { s.items, s.bytes = s.items+items, s.bytes+bytes }

// NewQueue returns an empty queue.
func NewQueue[T any](options Options[T]) *Queue[T] {
	return &Queue[T]{
		options: options,
		wake:    make(chan struct{}, 1),
		stop:    make(chan struct{}),
		ended:   make(chan struct{}),
	}
}

// Accepts reports whether there is room for values. If the next component accepts nothing, released values
// stay in the queue, and the room runs out. Concurrent callers may all get the same room.
func (q *Queue[T]) Accepts(items, bytes int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.stopping &&
		q.heldSize.items+q.releasedSize.items+items <= 2*q.options.MaxItems &&
		q.heldSize.bytes+q.releasedSize.bytes+bytes <= 2*q.options.MaxBytes
}

var errStopped = errors.New("the queue has been shut down")

// Hold holds a value for a time. Call it once the rest of the value's batch was accepted, because a sender
// repeats a refused batch.
func (q *Queue[T]) Hold(value T, bytes int, d time.Duration) {
	if !q.hold(&item[T]{value: value, bytes: bytes, due: time.Now().Add(d)}) {
		q.options.Lost(1, errStopped)
	}
}

func (q *Queue[T]) hold(i *item[T]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	if i.bytes > q.options.MaxBytes {
		q.release(i, Overflow) // instead of all other values
	} else {
		q.insert(i)
	}
	for q.heldSize.items > q.options.MaxItems || q.heldSize.bytes > q.options.MaxBytes {
		q.releaseNext(Overflow)
	}
	if len(q.released) > 0 || q.held[0] == i {
		select {
		case q.wake <- struct{}{}:
		default:
		}
	}
	return true
}

// insert adds an item behind those that are due before it or with it.
func (q *Queue[T]) insert(i *item[T]) {
	at, _ := slices.BinarySearchFunc(q.held, i.due, func(other *item[T], due time.Time) int {
		if other.due.After(due) {
			return 1
		}
		return -1
	})
	q.held = slices.Insert(q.held, at, i)
	q.heldSize.add(1, i.bytes)
}

// releaseNext releases the item that is due next.
func (q *Queue[T]) releaseNext(why Reason) {
	i := q.held[0]
	q.held[0] = nil
	q.held = q.held[1:]
	q.heldSize.add(-1, -i.bytes)
	q.release(i, why)
}

// release adds an item to the released ones. The caller holds mu.
func (q *Queue[T]) release(i *item[T], why Reason) {
	q.releasedSize.add(1, i.bytes)
	i.why = why
	q.released = append(q.released, i)
}
