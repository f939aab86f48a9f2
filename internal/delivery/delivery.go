// Package delivery repeats what the next component does not accept. Where several
// pipelines or exporters follow, their answers come together.
package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v7"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/multierr"
)

const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// Retry repeats an attempt that failed with err, until it succeeds or is refused for
// good, or ctx ends. It returns the last error. Once hurry is closed, the pauses begin
// anew with a short one.
func Retry(ctx context.Context, err error, hurry <-chan struct{}, attempt func() error) error {
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval, pause.MaxInterval = firstRetry, lastRetry
	pause.Reset()
	for err != nil && !Refused(err) {
		select {
		case <-ctx.Done():
			return err
		case <-hurry:
			hurry = nil
			pause.Reset()
		case <-time.After(pause.NextBackOff()):
		}
		err = attempt()
	}
	return err
}

// Refused reports whether all that failed refuses the data for good, so that repeating
// them is in vain.
func Refused(err error) bool {
	for _, part := range multierr.Errors(err) {
		if !consumererror.IsPermanent(part) {
			return false
		}
	}
	return err != nil
}

// Sender hands one delivery after the other to a consumer. An attempt that follows a
// partial failure has only what is left.
type Sender[D interface{ CopyTo(D) }] struct {
	consume func(context.Context, D) error
	empty   func() D
	unsent  func(error) (D, bool)
	left    D
	partly  bool // left is to be sent
}

// NewLogs returns a sender of logs.
func NewLogs(consume func(context.Context, plog.Logs) error) *Sender[plog.Logs] {
	return &Sender[plog.Logs]{consume: consume, empty: plog.NewLogs, unsent: unsent[consumererror.Logs, plog.Logs]}
}

// NewTraces returns a sender of traces.
func NewTraces(consume func(context.Context, ptrace.Traces) error) *Sender[ptrace.Traces] {
	return &Sender[ptrace.Traces]{consume: consume, empty: ptrace.NewTraces, unsent: unsent[consumererror.Traces, ptrace.Traces]}
}

// Send makes one attempt. It is to be repeated with the same data, until it succeeds or
// is refused for good. Each attempt has data of its own, since a consumer may change them.
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

// unsent returns what is left to send, where only one has failed and says it.
func unsent[E interface {
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
