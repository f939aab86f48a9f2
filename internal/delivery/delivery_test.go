// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/multierr"
)

var (
	errNow  = errors.New("not now")
	errEver = consumererror.NewPermanent(errors.New("never"))
)

func TestRefused(t *testing.T) {
	for err, want := range map[error]bool{
		nil:                                 false,
		errNow:                              false,
		errEver:                             true,
		fmt.Errorf("exporter: %w", errEver): true,
		multierr.Append(errEver, consumererror.NewPermanent(nil)): true,
	} {
		assert.Equal(t, want, Refused(err), "%v", err)
	}
	assert.False(t, Refused(multierr.Append(errEver, errNow)), "one of the two can still accept the data")
}

func TestSend(t *testing.T) {
	some, rest := plog.NewLogs(), plog.NewLogs()
	some.ResourceLogs().AppendEmpty().SetSchemaUrl("some")
	rest.ResourceLogs().AppendEmpty().SetSchemaUrl("rest")
	partly := consumererror.NewLogs(errNow, rest)
	permanently := consumererror.NewLogs(errEver, rest)

	for _, test := range []struct {
		name string
		err  error
		next string // expected data of the next attempt
	}{
		{"accepted", nil, "some"},
		{"not accepted", errNow, "some"},
		{"refused", errEver, "some"},
		{"accepted in part", partly, "rest"},
		{"accepted in part, wrapped", fmt.Errorf("exporter: %w", partly), "rest"},
		{"accepted in part, the rest refused", permanently, "some"},
		{"another failed as a whole", multierr.Append(partly, errNow), "some"},
		{"of another signal", consumererror.NewTraces(errNow, ptrace.NewTraces()), "some"},
	} {
		err := test.err
		sent := []string{}
		sender := NewLogs(func(_ context.Context, ld plog.Logs) error {
			sent = append(sent, ld.ResourceLogs().At(0).SchemaUrl())
			ld.ResourceLogs().At(0).SetSchemaUrl("changed")
			return err
		})
		render := func() plog.Logs {
			ld := plog.NewLogs()
			some.CopyTo(ld)
			return ld
		}
		assert.Equal(t, test.err, sender.Send(t.Context(), render), test.name)
		err = errNow
		_ = sender.Send(t.Context(), render)
		err = nil
		_ = sender.Send(t.Context(), render)
		_ = sender.Send(t.Context(), render)
		assert.Equal(t, []string{"some", test.next, test.next, "some"}, sent, test.name)
	}
}

func TestSendTraces(t *testing.T) {
	rest := ptrace.NewTraces()
	rest.ResourceSpans().AppendEmpty()
	var sent []int
	sender := NewTraces(func(_ context.Context, td ptrace.Traces) error {
		sent = append(sent, td.ResourceSpans().Len())
		return consumererror.NewTraces(errNow, rest)
	})
	for range 2 {
		_ = sender.Send(t.Context(), ptrace.NewTraces)
	}
	assert.Equal(t, []int{0, 1}, sent)
}

func TestRetry(t *testing.T) {
	for _, test := range []struct {
		name   string
		errs   []error
		want   error
		atMost time.Duration
	}{
		{"accepted", []error{nil}, nil, time.Second},
		{"accepted in the end", []error{errNow, errNow, nil}, nil, 3 * time.Second},
		{"refused in the end", []error{errNow, errEver}, errEver, 3 * time.Second},
		{"timeout", slices.Repeat([]error{errNow}, 1000), errNow, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			began := time.Now()
			assert.Equal(t, test.want, Retry(ctx, errNow, nil, func() error {
				err := test.errs[0]
				test.errs = test.errs[1:]
				return err
			}), test.name)
			assert.LessOrEqual(t, time.Since(began), test.atMost, test.name)
		})
	}
	assert.Equal(t, errEver, Retry(t.Context(), errEver, nil, nil), "no retry")
}

func TestRetryHurries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hurry := make(chan struct{})
		time.AfterFunc(time.Hour, func() { close(hurry) })
		began := time.Now()
		_ = Retry(t.Context(), errNow, hurry, func() error {
			if time.Since(began) < time.Hour {
				return errNow
			}
			return nil
		})
		assert.Equal(t, time.Hour, time.Since(began))
	})
}
