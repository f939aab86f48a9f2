package runtimelogreceiver

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v7"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/internal/delivery"
)

const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
	// finishTimeout is what a delivery under way may take when the receiver stops. Cut
	// off at once, it would be repeated at the next start, and may have arrived.
	finishTimeout = time.Second
)

// deliver gives a batch's records to the pipeline until it accepts them: a file waits.
// It returns an error only when ctx ends before. What all of the pipeline refuses for
// good (permanent errors) is dropped, logged and counted as refused.
func (r *runtimeLog) deliver(ctx context.Context, b *batch) error {
	if len(b.entries) == 0 {
		return nil
	}
	finish, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(finishTimeout, cancel) })()

	operation := r.reports.StartLogsOp(finish)
	logs, counted, last := b.render()
	err := r.next.ConsumeLogs(operation, logs)
	if err != nil && !delivery.Refused(err) {
		err = r.retry(ctx, operation, b, err)
	}
	r.reports.EndLogsOp(operation, "text", len(b.entries), err)
	switch {
	case err == nil:
		r.telemetry.delivered(operation, counted)
		b.previous = last
		return nil
	case delivery.Refused(err):
		r.logger.Error("Records dropped: the pipeline refuses them for good", zap.Int("records", len(b.entries)), zap.Error(err))
		return nil
	}
	return err
}

// retry repeats a delivery that failed, until it is accepted or refused for good, or
// ctx ends.
func (r *runtimeLog) retry(ctx, operation context.Context, b *batch, err error) error {
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval, pause.MaxInterval = firstRetry, lastRetry
	pause.Reset()
	r.outage.begin()
	defer r.outage.end()
	r.logger.Warn("Reading waits: the pipeline does not accept records", zap.Error(err))
	var left plog.Logs
	partly := false
	for err != nil && !delivery.Refused(err) {
		if part, ok := delivery.UnsentLogs(err); ok {
			left, partly = part, true
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause.NextBackOff()):
		}
		r.telemetry.RuntimeLogRetries.Add(operation, 1)
		var logs plog.Logs
		if partly {
			logs = plog.NewLogs()
			left.CopyTo(logs)
		} else {
			logs, _, _ = b.render()
		}
		err = r.next.ConsumeLogs(operation, logs)
	}
	if err == nil {
		r.logger.Info("Reading goes on: the pipeline accepts records again")
	}
	return err
}
