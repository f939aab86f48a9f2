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
	wake    chan struct{} // there is something to do earlier than thought
	stop    chan struct{} // closed by Shutdown
	ended   chan struct{} // closed by the goroutine
	cancel  context.CancelFunc

	// Of the goroutine, until it has ended.
	left    int // lost at the end of Shutdown's context
	leftErr error

	mu       sync.Mutex
	held     byDue[T]
	came     uint64
	goes     []*item[T] // let go, in that order, and not yet taken by the goroutine
	size     size       // of held
	under    size       // of goes and of the delivery under way
	stopping bool
	empty    bool // for good
}

// size is how much there is of something.
type size struct{ items, bytes int }

func (s *size) add(items, bytes int) { s.items, s.bytes = s.items+items, s.bytes+bytes }

// New returns a queue that holds nothing.
func New[T any](options Options[T]) *Queue[T] {
	return &Queue[T]{
		options: options,
		wake:    make(chan struct{}, 1),
		stop:    make(chan struct{}),
		ended:   make(chan struct{}),
	}
}

// Accepts reports whether there is room for values that are to be held. There is none
// when the next component takes nothing, so that what was let go is still here. Those
// who ask at the same time do not know of each other.
func (q *Queue[T]) Accepts(items, bytes int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.stopping &&
		q.size.items+q.under.items+items <= 2*q.options.MaxItems &&
		q.size.bytes+q.under.bytes+bytes <= 2*q.options.MaxBytes
}

// Items is how many values are in the queue, held or on their way.
func (q *Queue[T]) Items() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.size.items + q.under.items
}

var errStopped = errors.New("the queue has been shut down")

// Hold takes a value for a time. It is to be called when the rest of the batch in which
// the value came has been accepted: a sender repeats what is refused.
func (q *Queue[T]) Hold(value T, bytes int, d time.Duration) {
	if !q.hold(&item[T]{value: value, bytes: bytes, due: time.Now().Add(d)}) {
		q.options.Lost(1, errStopped)
	}
}

func (q *Queue[T]) hold(i *item[T]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.empty {
		return false
	}
	i.turn = q.came
	q.came++
	heap.Push(&q.held, i)
	q.size.add(1, i.bytes)
	first := i.at == 0
	if i.bytes > q.options.MaxBytes {
		q.letGo(i, Overflow) // rather than all others
	}
	for len(q.held) > 0 && (q.size.items > q.options.MaxItems || q.size.bytes > q.options.MaxBytes) {
		q.letGo(q.held[0], Overflow)
	}
	if first || len(q.goes) > 0 {
		select {
		case q.wake <- struct{}{}:
		default:
		}
	}
	return true
}

// letGo has the goroutine take a held item when it can. The caller holds mu.
func (q *Queue[T]) letGo(i *item[T], why Reason) {
	heap.Remove(&q.held, i.at)
	q.size.add(-1, -i.bytes)
	q.under.add(1, i.bytes)
	i.why = why
	q.goes = append(q.goes, i)
}
