// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/internal/delivery"
)

// finishTimeout bounds a delivery in progress when the receiver stops. A delivery that is
// cancelled at once may have arrived, and would be repeated at the next start.
const finishTimeout = time.Second

// deliver sends the records of a batch until the pipeline accepts them. It returns an error
// only if ctx ends before that. Records that the pipeline refuses permanently are dropped,
// logged and counted as refused.
func (r *runtimeLog) deliver(ctx context.Context, b *batch) error {
	if len(b.entries) == 0 {
		return nil
	}
	finish, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(finishTimeout, cancel) })()

	operation := r.reports.StartLogsOp(finish)
	var rendered *rendering
	sender := delivery.NewLogs(r.next.ConsumeLogs)
	send := func() error {
		return sender.Send(operation, func() plog.Logs {
			rendered = b.render()
			return rendered.logs
		})
	}
	err := send()
	if err != nil && !delivery.Refused(err) {
		err = r.retry(ctx, err, func() error {
			r.telemetry.RuntimeLogRetries.Add(operation, 1)
			return send()
		})
	}
	r.reports.EndLogsOp(operation, "text", len(b.entries), err)
	switch {
	case err == nil:
		r.telemetry.delivered(operation, rendered.tally)
		b.previous, b.pack = rendered.previous, rendered.pack
		return nil
	case delivery.Refused(err):
		r.logger.Error("Records dropped: the pipeline refuses them permanently", zap.Int("records", len(b.entries)), zap.Error(err))
		return nil
	}
	return err
}

// retry repeats a failed delivery until it is accepted or permanently refused, or ctx ends.
func (r *runtimeLog) retry(ctx context.Context, err error, attempt func() error) error {
	r.outage.begin()
	defer r.outage.end()
	r.logger.Warn("Reading is paused: the pipeline does not accept records", zap.Error(err))
	if err = delivery.Retry(ctx, err, nil, attempt); err == nil {
		r.logger.Info("Reading continues: the pipeline accepts records again")
	}
	return err
}

// outage tracks whether the pipeline accepts records. It is safe for concurrent use.
type outage struct {
	mu      sync.Mutex
	waiting int       // the number of deliveries; guarded by mu
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

// over reports whether no outage has been for the given time.
func (o *outage) over(now time.Time, since time.Duration) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.waiting == 0 && now.Sub(o.ended) >= since
}
