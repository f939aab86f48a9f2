// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/xpdata/pref"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/internal/delivery"
	"github.com/otelcol-tc/otelcol-tc/internal/holding"
	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor/internal/answer"
)

// keeper holds records, looks them up and delivers them. All but its queue belongs to the
// queue's goroutine.
type keeper struct {
	queue     *holding.Queue[*held]
	inquiry   *inquiry
	tally     tally
	fails     bool // the last request to the index failed
	sender    *delivery.Sender[plog.Logs]
	telemetry *telemetry
	logger    *zap.Logger
}

// How often held records are looked up.
const (
	lookups       = 16 // while a record is held
	lookupAtLeast = 50 * time.Millisecond
	lookupAtMost  = 500 * time.Millisecond
)

func newKeeper(x *indexing, cfg *Config, next consumer.Logs, telemetry *telemetry, logger *zap.Logger) *keeper {
	k := &keeper{telemetry: telemetry, logger: logger}
	k.sender = delivery.NewLogs(func(ctx context.Context, ld plog.Logs) error {
		// With pooled data, the first of several exporters would otherwise free the batch.
		pref.MarkPipelineOwnedLogs(ld)
		return next.ConsumeLogs(ctx, ld)
	})
	k.inquiry = &inquiry{indexing: x, tally: &k.tally}
	k.queue = holding.New(holding.Options[*held]{
		MaxItems: cfg.MaxHeldRecords, MaxBytes: cfg.MaxHeldMib << 20,
		Every:   min(max(cfg.Hold/lookups, lookupAtLeast), lookupAtMost),
		Ready:   k.ready,
		Release: k.release,
		Deliver: k.deliver,
		Lost:    k.lost,
		Waits: func(err error) {
			logger.Warn("Held records wait: the next component does not accept them", zap.Error(err))
		},
	})
	return k
}

// hold holds records. The next component has accepted their batch without them.
func (k *keeper) hold(ctx context.Context, all []*held) {
	if len(all) == 0 {
		return
	}
	k.telemetry.builder.LogCorrelationHeld.Add(ctx, int64(len(all)))
	k.telemetry.builder.LogCorrelationHolding.Add(ctx, int64(len(all)))
	for _, h := range all {
		k.queue.Hold(h, h.bytes, k.inquiry.hold)
	}
}

// ready reports which records can be delivered, because the index knows their ids.
func (k *keeper) ready(ctx context.Context, all []*held, ready []bool) {
	k.look(ctx, all)
	for i, h := range all {
		ready[i] = h.done
	}
	k.telemetry.count(ctx, &k.tally)
}

// look gives held records the ids that the index knows.
func (k *keeper) look(ctx context.Context, all []*held) {
	q := k.inquiry
	q.begin()
	for _, h := range all {
		if !h.done && q.add(h.scope.resource.resource, h.scope.scope, h.record) {
			q.subjects[len(q.subjects)-1].held = h
		}
	}
	k.fails = !q.ask(ctx)
	for i := range q.subjects {
		s := &q.subjects[i]
		q.decide(s)
		s.held.done, s.held.several = s.got.Kind == answer.Found, s.several
	}
	if !k.fails {
		q.joinSubjects(ctx)
	}
	q.forget()
}

// release looks records up for the last time, and counts the outcome. It does not ask an index that
// failed before, because a shutdown has no time for that.
func (k *keeper) release(ctx context.Context, all []*held, why holding.Reason) {
	if why != holding.Ready && !k.fails {
		k.look(ctx, all)
	}
	for _, h := range all {
		if h.done {
			k.tally.released[holding.Ready]++
			continue
		}
		k.tally.released[why]++
		if h.several {
			k.tally.ambiguous++
		}
		if h.record.TraceID().IsEmpty() {
			k.tally.unresolved++
		}
	}
	k.telemetry.count(ctx, &k.tally)
}

func (k *keeper) deliver(ctx context.Context, all []*held) error {
	err := k.sender.Send(ctx, func() plog.Logs { return render(all) })
	if err == nil {
		k.telemetry.builder.LogCorrelationHolding.Add(ctx, -int64(len(all)))
	}
	return err
}

func (k *keeper) lost(records int, err error) {
	ctx := context.Background()
	k.logger.Error("Held records are lost: the next component did not accept them", zap.Int("records", records), zap.Error(err))
	k.telemetry.builder.LogCorrelationLost.Add(ctx, int64(records))
	k.telemetry.builder.LogCorrelationHolding.Add(ctx, -int64(records))
}
