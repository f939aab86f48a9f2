// SPDX-License-Identifier: Apache-2.0

package holding

import (
	"container/heap"
	"context"
	"errors"
	"sync"
	"time"
)

// Queue holds values until they are due. It is safe for concurrent use.
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
	held         byDue[T]
	arrived      uint64
	released     []*item[T] // released in this order, and not yet taken by the goroutine
	heldSize     size       // of held
	releasedSize size       // of released, and of the delivery in progress
	stopping     bool
	closed       bool // Hold loses every value from now on
}

// size is a number of items and their bytes.
type size struct{ items, bytes int }

func (s *size) add(items, bytes int) { s.items, s.bytes = s.items+items, s.bytes+bytes }

// New returns an empty queue.
func New[T any](options Options[T]) *Queue[T] {
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
	i.order = q.arrived
	q.arrived++
	heap.Push(&q.held, i)
	q.heldSize.add(1, i.bytes)
	first := i.at == 0
	if i.bytes > q.options.MaxBytes {
		q.release(i, Overflow) // instead of all other values
	}
	for len(q.held) > 0 && (q.heldSize.items > q.options.MaxItems || q.heldSize.bytes > q.options.MaxBytes) {
		q.release(q.held[0], Overflow)
	}
	if first || len(q.released) > 0 {
		select {
		case q.wake <- struct{}{}:
		default:
		}
	}
	return true
}

// release moves a held item to the released ones. The caller holds mu.
func (q *Queue[T]) release(i *item[T], why Reason) {
	heap.Remove(&q.held, i.at)
	q.heldSize.add(-1, -i.bytes)
	q.releasedSize.add(1, i.bytes)
	i.why = why
	q.released = append(q.released, i)
}
