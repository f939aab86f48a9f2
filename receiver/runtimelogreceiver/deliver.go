package runtimelogreceiver

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v7"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.uber.org/zap"
)

const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
	// finishTimeout is what a delivery under way may take when the receiver stops. Cut
	// off at once, it would be repeated at the next start, and may have arrived.
	finishTimeout = time.Second
)

// deliver gives records to the pipeline until it accepts them: a file waits. It
// returns an error only when ctx ends before. What the pipeline refuses for good
// (a permanent error) is dropped, logged and counted as refused.
func (r *runtimeLog) deliver(ctx context.Context, logs plog.Logs) error {
	records := logs.LogRecordCount()
	if records == 0 {
		return nil
	}
	finish, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(finishTimeout, cancel) })()

	operation := r.reports.StartLogsOp(finish)
	err := r.next.ConsumeLogs(operation, logs)
	if err != nil && !consumererror.IsPermanent(err) {
		err = r.retry(ctx, operation, logs, err)
	}
	if err != nil && ctx.Err() == nil {
		r.logger.Error("Records dropped: the pipeline refuses them for good", zap.Int("records", records), zap.Error(err))
	}
	r.reports.EndLogsOp(operation, "text", records, err)
	if err != nil && !consumererror.IsPermanent(err) {
		return err
	}
	return nil
}

// retry repeats a delivery that failed, until it is accepted or refused for good, or
// ctx ends.
func (r *runtimeLog) retry(ctx, operation context.Context, logs plog.Logs, err error) error {
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval, pause.MaxInterval = firstRetry, lastRetry
	pause.Reset()
	r.outage.begin()
	defer r.outage.end()
	r.logger.Warn("Reading waits: the pipeline does not accept records", zap.Error(err))
	for err != nil && !consumererror.IsPermanent(err) {
		// Where several exporters follow, those that failed say what is left to send.
		var left consumererror.Logs
		if errors.As(err, &left) {
			logs = left.Data()
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause.NextBackOff()):
		}
		r.telemetry.RuntimeLogRetries.Add(operation, 1)
		err = r.next.ConsumeLogs(operation, logs)
	}
	if err == nil {
		r.logger.Info("Reading goes on: the pipeline accepts records again")
	}
	return err
}

// outage is the time in which the pipeline does not accept records. It is safe for
// concurrent use.
type outage struct {
	mu      sync.Mutex
	waiting int       // deliveries; guarded by mu
	ended   time.Time // guarded by mu
}

func (o *outage) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting++
}

func (o *outage) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting--
	o.ended = time.Now()
}

// over tells whether there has been none for a time.
func (o *outage) over(now time.Time, since time.Duration) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.waiting == 0 && now.Sub(o.ended) >= since
}
