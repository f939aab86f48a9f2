// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"

	"github.com/otelcol-tc/otelcol-tc/connector/spilloverconnector/internal/batcher"
	"github.com/otelcol-tc/otelcol-tc/internal/delivery"
	"github.com/otelcol-tc/otelcol-tc/internal/diskqueue"
)

// send sends a batch to the next component, or adds it to the queue. A batch that was sent, or is in the
// queue, is accepted. While the queue has records a new one goes behind them, so that order holds. If there is no room,
// and all of them are refused, it goes past them.
//
// A sender gets a refusal only if the batch is all that it has sent. Otherwise the queue finds out which items are at
// fault, and the rest arrives.
func (s *spillover[T]) send(ctx context.Context, batch T, content batcher.Content) error {
	stuck := s.allRefused() && s.queue.Room(1, s.signal.size(batch)) != nil
	if !s.queue.Empty() && !stuck || s.stopping.Err() != nil {
		return s.keep(batch, nil)
	}
	items := s.signal.items(batch)
	// A sender that leaves must not end the attempt: the batch may have the data of others.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.limit(ctx))
	defer cancel()
	defer context.AfterFunc(s.stopping, cancel)()
	left, err := s.try(ctx, batch)
	if err == nil {
		if stuck {
			s.accepted.Add(1)
		}
		s.wanted.Store(0) // nothing needs room
		s.report.sent(direct, items)
		return nil
	}
	unsent := s.signal.items(left)
	if delivery.Judge(err) == delivery.Bad && unsent == items {
		_, changed := s.signal.unsent(err)
		switch {
		case content == batcher.Merged && !changed:
			return batcher.ErrApart
		case items == 1, content == batcher.Whole && !delivery.TooLarge(err):
			s.report.refused(direct, items, s.letter(left, true), err)
			return err
		}
	}
	s.report.failed(direct)
	s.report.sent(direct, items-unsent)
	return s.keep(left, err)
}

// allRefused reports whether all in the queue was refused, and nothing was accepted since.
func (s *spillover[T]) allRefused() bool { return s.refused.Load() == s.appended.Load() }

// room returns an error if the parts of a request have to go to the queue, and it has no room for all of them.
func (s *spillover[T]) room(parts []T) error {
	if s.queue.Empty() || s.allRefused() {
		return nil
	}
	bytes, items := 0, 0
	for _, part := range parts {
		bytes += s.signal.size(part)
		items += s.signal.items(part)
	}
	if err := s.queue.Room(len(parts), bytes); err != nil {
		return s.noRoom(bytes, items, err)
	}
	return nil
}

// leastAttempt is the least time for an attempt, if patience is not shorter. A sender with less time must not send
// the data of all others to the queue.
const leastAttempt = time.Second

// limit returns how long an attempt may take. A sender that waits for less than patience gets its answer
// in time.
func (s *spillover[T]) limit(ctx context.Context) time.Duration {
	limit := s.cfg.Patience
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, max(time.Until(deadline)*3/4, leastAttempt))
	}
	return limit
}

// try makes one attempt. After a failure it returns what the next component did not accept.
func (s *spillover[T]) try(ctx context.Context, batch T) (T, error) {
	attempt := batch
	if s.mutates {
		attempt = s.signal.copy(batch)
	}
	err := s.ask(ctx, attempt)
	if err == nil {
		return batch, nil
	}
	if left, ok := s.signal.unsent(err); ok {
		batch = left
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		// Some exporters call it permanent that the time is over, but nobody has refused anything.
		err = fmt.Errorf("no answer in time: %v", err) //nolint:errorlint // the chain must not say that it is permanent
	}
	return batch, err
}

// abandonAfter is how many seconds an attempt may go on after the end of its context. Exporters need a moment to
// return what was not accepted, and rendezvous has moved parts out of the batch until then: the limit must be far above
// that moment. The seconds are waited for one by one: a process that was frozen has had one of them at most.
const abandonAfter = 5

var errAbandoned = errors.New("the attempt did not end in time, and goes on: the data may come twice")

// ask calls the next component. It does not wait for one that ignores the end of the context, as the Kafka
// exporter does while brokers are away.
func (s *spillover[T]) ask(ctx context.Context, attempt T) error {
	answer := make(chan error, 1)
	go func() { answer <- s.next(ctx, attempt) }()
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
	}
	for range abandonAfter {
		select {
		case err := <-answer:
			return err
		case <-time.After(time.Second):
		}
	}
	return errAbandoned
}

// keep adds a batch to the queue. The cause is why the next component did not accept it, if it was asked.
func (s *spillover[T]) keep(batch T, cause error) error {
	items := s.signal.items(batch)
	record, err := s.signal.marshal(batch)
	if err != nil {
		return consumererror.NewPermanent(fmt.Errorf("a batch cannot be encoded: %w", err))
	}
	if cause != nil && s.queue.Empty() {
		s.report.spills(cause)
	}
	switch err := s.queue.Append(record, items); {
	case errors.Is(err, diskqueue.ErrTooLarge):
		return consumererror.NewPermanent(fmt.Errorf("the queue in %s: %w", s.directory, err))
	case err != nil:
		full := s.noRoom(len(record), items, err)
		if cause == nil {
			return full
		}
		// The cause must not be in the chain: a part of it may be permanent, or have data of other senders.
		return fmt.Errorf("%w; sending it failed: %v", full, cause) //nolint:errorlint // see above
	}
	s.appended.Add(1)
	s.wanted.Store(0)
	s.report.queued(items)
	select {
	case s.added <- struct{}{}:
	default:
	}
	return nil
}

// noRoom returns the error for a sender whose data the queue did not keep.
func (s *spillover[T]) noRoom(bytes, items int, err error) error {
	s.wanted.Store(int64(bytes))
	s.report.rejected(items, reason(err), err)
	return fmt.Errorf("the queue in %s cannot keep the data: %w", s.directory, err)
}

func reason(err error) string {
	switch {
	case errors.Is(err, diskqueue.ErrFull):
		return queueFull
	case errors.Is(err, diskqueue.ErrNoSpace):
		return diskFull
	}
	return writeFailed
}
