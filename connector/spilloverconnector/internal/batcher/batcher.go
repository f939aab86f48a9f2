// SPDX-License-Identifier: Apache-2.0

// Package batcher merges the requests of senders that wait for an answer, and splits large ones.
//
// It is here because exporterhelper's batcher computes the size of each request up to five times, asks for a copy
// of data that another component reads too, and wakes up at each flush timeout also while there is nothing to
// flush (ADR 0022).
package batcher

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/otelcol-tc/otelcol-tc/internal/delivery"
)

// inMemory is how many bytes of requests wait for an answer. Senders of more wait until there is room.
const inMemory = 64 << 20

// Settings are the limits of batches. Sizes are bytes of OTLP in protobuf.
type Settings struct {
	// FlushTimeout is the longest time that a request waits for others.
	FlushTimeout time.Duration
	// MinSize is from which size on a batch does not wait for more.
	MinSize int
	// MaxSize is the size of the largest batch, if it has more than one item.
	MaxSize int
	// InFlight is how many batches wait for an answer at the same time. With 1, requests stay in order.
	InFlight int
}

// Signal is what the batcher does to requests.
type Signal[T any] struct {
	// Size returns the bytes of a request.
	Size func(T) int
	// Merge returns the items of several requests, in order.
	Merge func([]T) T
	// Split returns the items of a request in order, in parts of at most so many bytes.
	Split func(request T, max int) []T
	// Room returns an error if there is no room now for all parts of a request.
	Room func(parts []T) error
	// Items returns the number of items, and Cut divides a request behind the first ones.
	Items func(T) int
	Cut   func(request T, keep int) (first, rest T)
}

// Content is what a batch has.
type Content uint8

// The contents.
const (
	Whole  Content = iota // one request
	Part                  // a part of one request
	Merged                // several requests
)

// ErrApart is the answer to a merged batch that was refused as a whole and is as it was: each request is sent alone,
// so that no sender gets an answer that is about the data of another.
var ErrApart = errors.New("each request is to be sent alone")

// Batcher merges and splits requests. It is safe for concurrent use.
type Batcher[T any] struct {
	settings Settings
	signal   Signal[T]
	send     func(context.Context, T, Content) error
	memory   *semaphore.Weighted
	running  sync.WaitGroup

	mu       sync.Mutex
	waiting  []*request[T] // in order
	bytes    int           // of waiting
	inFlight int           // batches
	timer    *time.Timer
	stopped  bool
}

// request is what one sender waits for.
type request[T any] struct {
	ctx    context.Context
	data   T
	size   int
	came   time.Time
	answer chan error
}

// New returns a batcher that sends batches with send. Its context has the earliest deadline of the senders, and
// does not end when one of them leaves.
func New[T any](settings Settings, signal Signal[T], send func(context.Context, T, Content) error) *Batcher[T] {
	b := &Batcher[T]{settings: settings, signal: signal, send: send, memory: semaphore.NewWeighted(inMemory)}
	b.timer = time.AfterFunc(math.MaxInt64, b.flush)
	b.timer.Stop()
	return b
}

var errStopped = errors.New("the collector stops")

// Consume returns the answer to the batches that the request was part of. When ctx ends before the request is
// part of one, the request is not sent.
func (b *Batcher[T]) Consume(ctx context.Context, data T) error {
	r := &request[T]{ctx: ctx, data: data, size: b.signal.Size(data), came: time.Now(), answer: make(chan error, 1)}
	weight := int64(min(r.size, inMemory))
	if err := b.memory.Acquire(ctx, weight); err != nil {
		return err
	}
	defer b.memory.Release(weight)
	if !b.add(r) {
		return errStopped
	}
	select {
	case err := <-r.answer:
		return err
	case <-ctx.Done():
	}
	if b.withdraw(r) {
		return ctx.Err()
	}
	return <-r.answer
}

// Shutdown sends what waits, and returns when everything is answered.
func (b *Batcher[T]) Shutdown() {
	b.mu.Lock()
	b.stopped = true
	b.start()
	b.mu.Unlock()
	b.running.Wait()
	b.timer.Stop()
}

func (b *Batcher[T]) add(r *request[T]) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped {
		return false
	}
	b.waiting = append(b.waiting, r)
	b.bytes += r.size
	b.start()
	return true
}

// withdraw removes a request that still waits.
func (b *Batcher[T]) withdraw(r *request[T]) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.waiting, r)
	if i < 0 {
		return false
	}
	b.waiting = slices.Delete(b.waiting, i, i+1)
	b.bytes -= r.size
	return true
}

// flush runs when the oldest request has waited for the flush timeout.
func (b *Batcher[T]) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.start()
}

// start sends batches as long as there are some, and not too many are in flight. The caller holds mu.
func (b *Batcher[T]) start() {
	for b.inFlight < b.settings.InFlight {
		batch := b.take()
		if batch == nil {
			return
		}
		b.inFlight++
		b.running.Go(func() { b.run(batch) })
	}
}

// take removes the requests of the next batch. It returns nil, and sets the timer, if they still wait for others.
// The caller holds mu.
func (b *Batcher[T]) take() []*request[T] {
	if len(b.waiting) == 0 {
		return nil
	}
	wait := b.settings.FlushTimeout - time.Since(b.waiting[0].came)
	if b.bytes < b.settings.MinSize && wait > 0 && !b.stopped {
		b.timer.Reset(wait)
		return nil
	}
	n, size := 1, b.waiting[0].size
	for n < len(b.waiting) && size+b.waiting[n].size <= b.settings.MaxSize {
		size += b.waiting[n].size
		n++
	}
	batch := b.waiting[:n:n]
	b.waiting = b.waiting[n:]
	b.bytes -= size
	return batch
}

// run sends batches until none is due.
func (b *Batcher[T]) run(batch []*request[T]) {
	for batch != nil {
		b.deliver(batch)
		clear(batch) // waiting has the same array
		b.mu.Lock()
		if batch = b.take(); batch == nil {
			b.inFlight--
		}
		b.mu.Unlock()
	}
}

// deliver sends the requests of a batch together, and answers them.
func (b *Batcher[T]) deliver(batch []*request[T]) {
	ctx, cancel := b.context(batch)
	defer cancel()
	if len(batch) == 1 {
		batch[0].answer <- b.deliverAlone(ctx, batch[0])
		return
	}
	all, items := make([]T, 0, len(batch)), make([]int, 0, len(batch))
	for _, r := range batch {
		all, items = append(all, r.data), append(items, b.signal.Items(r.data))
	}
	rest := b.signal.Merge(all)
	err := b.send(ctx, rest, Merged)
	for i, r := range batch {
		if !errors.Is(err, ErrApart) {
			r.answer <- err
			continue
		}
		var data T
		data, rest = b.signal.Cut(rest, items[i])
		r.answer <- b.send(ctx, data, Whole)
	}
}

// deliverAlone sends one request. The parts of a large one go one after the other until one is not accepted for now:
// the sender has all of them, and sends them again. A part that is refused for good does not stop the others. None goes
// if there is no room for all: copies of the first ones would take the room of the last ones each time.
func (b *Batcher[T]) deliverAlone(ctx context.Context, r *request[T]) error {
	if r.size <= b.settings.MaxSize {
		return b.send(ctx, r.data, Whole)
	}
	parts := b.signal.Split(r.data, b.settings.MaxSize)
	if err := b.signal.Room(parts); err != nil {
		return err
	}
	var refused error
	for _, part := range parts {
		err := b.send(ctx, part, Part)
		if err != nil && !delivery.Refused(err) {
			return err // not with the one before it, which would tell the sender to give up
		}
		refused = cmp.Or(refused, err)
	}
	return refused
}

// context returns that of the sender without its end, or an empty one for several senders.
func (b *Batcher[T]) context(batch []*request[T]) (context.Context, context.CancelFunc) {
	ctx := context.Background()
	if len(batch) == 1 {
		ctx = context.WithoutCancel(batch[0].ctx)
	}
	var earliest time.Time
	for _, r := range batch {
		if deadline, ok := r.ctx.Deadline(); ok && (earliest.IsZero() || deadline.Before(earliest)) {
			earliest = deadline
		}
	}
	if earliest.IsZero() {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, earliest)
}
