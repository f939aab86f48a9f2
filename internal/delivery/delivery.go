// SPDX-License-Identifier: Apache-2.0

// Package delivery retries deliveries that the next component did not accept, and holds data that is to be delivered
// later. It also decides about errors that join the answers of several pipelines or exporters.
package delivery

import (
	"context"
	"errors"
	"math/bits"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/multierr"
)

const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// Backoff has the pauses between attempts.
type Backoff struct{ pause time.Duration }

// NewBackoff returns the pauses of a first attempt.
func NewBackoff() *Backoff { return &Backoff{firstRetry} }

// Reset begins again with a short pause.
func (b *Backoff) Reset() { b.pause = firstRetry }

// Next returns the next pause, at random between half of it and one and a half.
func (b *Backoff) Next() time.Duration {
	pause := b.pause
	b.pause = min(pause*3/2, lastRetry)
	return pause/2 + Jitter(time.Now(), pause)
}

// Jitter returns a time from 0 to most, so that those who wait do not come back at the same moment. The time depends on
// the nanoseconds of the clock only, so that a test with a clock of its own can repeat what happens.
func Jitter(now time.Time, most time.Duration) time.Duration {
	part, _ := bits.Mul64(uint64(now.UnixNano())*0x9E3779B97F4A7C15, uint64(most))
	return time.Duration(part)
}

// Retry repeats an attempt that failed with err, until it succeeds or fails permanently, or ctx ends. It
// returns the last error. Closing hurry restarts the backoff with a short pause.
func Retry(ctx context.Context, err error, hurry <-chan struct{}, attempt func() error) error {
	pause := NewBackoff()
	for err != nil && !Refused(err) {
		select {
		case <-ctx.Done():
			return err
		case <-hurry:
			hurry = nil
			pause.Reset()
		case <-time.After(pause.Next()):
		}
		err = attempt()
	}
	return err
}

// Sender sends deliveries to a consumer one after the other. After a partial failure it sends only the
// rest.
type Sender[D interface{ CopyTo(D) }] struct {
	consume func(context.Context, D) error
	empty   func() D
	unsent  func(error) (D, bool)
	left    D
	partly  bool // left holds the rest to send
}

// NewLogs returns a sender of logs.
func NewLogs(consume func(context.Context, plog.Logs) error) *Sender[plog.Logs] {
	return &Sender[plog.Logs]{consume: consume, empty: plog.NewLogs, unsent: Unsent[consumererror.Logs, plog.Logs]}
}

// NewTraces returns a sender of traces.
func NewTraces(consume func(context.Context, ptrace.Traces) error) *Sender[ptrace.Traces] {
	return &Sender[ptrace.Traces]{consume: consume, empty: ptrace.NewTraces, unsent: Unsent[consumererror.Traces, ptrace.Traces]}
}

// Send makes one attempt. The caller repeats it with the same data until it succeeds or fails permanently.
// Each attempt gets a copy of the data, because a consumer may change it.
func (s *Sender[D]) Send(ctx context.Context, render func() D) error {
	var data D
	if s.partly {
		data = s.empty()
		s.left.CopyTo(data)
	} else {
		data = render()
	}
	err := s.consume(ctx, data)
	if err == nil || Refused(err) {
		var none D
		s.left, s.partly = none, false
	} else if left, ok := s.unsent(err); ok {
		s.left, s.partly = left, true
	}
	return err
}

// Unsent returns the data that was not accepted, if the error is a single partial failure.
func Unsent[E interface {
	error
	Data() D
}, D any](err error) (D, bool) {
	var left E
	if len(multierr.Errors(err)) != 1 || !errors.As(err, &left) {
		var none D
		return none, false
	}
	return left.Data(), true
}
