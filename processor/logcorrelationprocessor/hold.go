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
)

// held is a record that was taken out of its batch. Nothing refers to the batch.
type held struct {
	record plog.LogRecord
	origin *origin
	bytes  int
	index  *keyIndex // with the rules of its batch

	done    bool // it has its ids
	several bool // several traces have one of its keys
	why     why  // it has no ids so far
}

// origin is the resource and the scope of held records: a batch without records.
type origin struct{ empty plog.ResourceLogs }

func newOrigin(rl plog.ResourceLogs, sl plog.ScopeLogs) *origin {
	o := &origin{plog.NewResourceLogs()}
	rl.Resource().CopyTo(o.empty.Resource())
	o.empty.SetSchemaUrl(rl.SchemaUrl())
	scope := o.empty.ScopeLogs().AppendEmpty()
	sl.Scope().CopyTo(scope.Scope())
	scope.SetSchemaUrl(sl.SchemaUrl())
	return o
}

// keeper holds records, looks them up and delivers them. All but its queue belongs to the
// queue's goroutine.
type keeper struct {
	queue     *delivery.Queue[*held]
	hold      time.Duration
	lookup    *lookup // by the rules of the records that are looked up
	tally     tally
	fails     bool // the last request to the index failed
	telemetry *telemetry
	logger    *zap.Logger
}

// How often held records are looked up.
const (
	lookups       = 16 // while a record is held
	lookupAtLeast = 50 * time.Millisecond
	lookupAtMost  = 500 * time.Millisecond
)

func newKeeper(cfg *Config, next consumer.Logs, telemetry *telemetry, logger *zap.Logger) *keeper {
	k := &keeper{hold: cfg.Hold, telemetry: telemetry, logger: logger}
	sender := delivery.NewLogs(func(ctx context.Context, ld plog.Logs) error {
		// With pooled data, the first of several exporters would otherwise free the batch.
		pref.MarkPipelineOwnedLogs(ld)
		return next.ConsumeLogs(ctx, ld)
	})
	k.queue = delivery.NewQueue(delivery.Options[*held]{
		MaxItems: cfg.MaxHeldRecords, MaxBytes: cfg.MaxHeldMib << 20,
		Every:   min(max(cfg.Hold/lookups, lookupAtLeast), lookupAtMost),
		Ready:   k.ready,
		Release: k.release,
		Deliver: func(ctx context.Context, all []*held) error {
			err := sender.Send(ctx, func() plog.Logs { return render(all) })
			if err == nil {
				telemetry.builder.LogCorrelationHolding.Add(ctx, -int64(len(all)))
			}
			return err
		},
		Lost: k.lost,
		Waits: func(err error) {
			logger.Warn("Held records wait: the next component does not accept them", zap.Error(err))
		},
	})
	return k
}

// The memory that a held record takes, in bytes.
const (
	heldBytes = 512
	// sizeFactor is the size of data in memory in relation to their size as OTLP.
	sizeFactor = 3
)

var marshaler plog.ProtoMarshaler

// take moves the records that wait out of a batch, if there is room for them.
func (k *keeper) take(ld plog.Logs, records []unresolved) (taken []*held) {
	waiting, bytes := map[plog.LogRecord]*held{}, 0
	for _, r := range records {
		if r.waits {
			h := &held{bytes: heldBytes + sizeFactor*marshaler.LogRecordSize(r.record), several: r.several, why: r.why}
			waiting[r.record] = h
			bytes += h.bytes
		}
	}
	if len(waiting) == 0 || !k.queue.Accepts(len(waiting), bytes) {
		return nil
	}
	var last plog.ScopeLogs
	var from *origin
	removeRecords(ld, func(rl plog.ResourceLogs, sl plog.ScopeLogs, record plog.LogRecord) bool {
		h, ok := waiting[record]
		if !ok {
			return false
		}
		if from == nil || sl != last {
			last, from = sl, newOrigin(rl, sl)
			h.bytes += sizeFactor * marshaler.ResourceLogsSize(from.empty)
		}
		h.origin, h.record = from, plog.NewLogRecord()
		record.MoveTo(h.record)
		taken = append(taken, h)
		return true
	})
	return taken
}

// add holds records. The next component has accepted their batch without them.
func (k *keeper) add(ctx context.Context, index *keyIndex, all []*held) {
	if len(all) == 0 {
		return
	}
	k.telemetry.builder.LogCorrelationHeld.Add(ctx, int64(len(all)))
	k.telemetry.builder.LogCorrelationHolding.Add(ctx, int64(len(all)))
	for _, h := range all {
		h.index = index
		k.queue.Hold(h, h.bytes, k.hold)
	}
}

// ready reports which records can be delivered, because the index knows their ids.
func (k *keeper) ready(ctx context.Context, all []*held, ready []bool) {
	k.look(ctx, all, false)
	for i, h := range all {
		ready[i] = h.done
	}
	k.telemetry.count(ctx, &k.tally)
}

// look gives held records the ids that the index knows. Those of different packs are looked up apart.
func (k *keeper) look(ctx context.Context, all []*held, last bool) {
	k.fails = false
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].index == all[0].index {
			n++
		}
		k.lookBy(ctx, all[0].index, all[:n], last)
		all = all[n:]
	}
}

func (k *keeper) lookBy(ctx context.Context, index *keyIndex, all []*held, last bool) {
	if k.lookup == nil || k.lookup.index != index {
		k.lookup = newLookup(index, &k.tally)
	}
	var asked []*held
	k.lookup.last = last
	k.lookup.begin()
	for _, h := range all {
		if !h.done && k.lookup.add(h.origin.empty.Resource(), h.record) {
			asked = append(asked, h)
		}
	}
	fails := !k.lookup.run(ctx)
	for i, h := range asked {
		r := &k.lookup.records[i]
		h.done, h.several, h.why = r.found, r.several, r.why
	}
	if !fails {
		k.lookup.join(ctx)
	}
	k.fails = k.fails || fails
	k.lookup.forget()
}

// release looks records up for the last time, and counts the outcome. It does not ask an index that
// failed before, because a shutdown has no time for that.
func (k *keeper) release(ctx context.Context, all []*held, why delivery.Reason) {
	if why != delivery.Ready && !k.fails {
		k.look(ctx, all, true)
	}
	for _, h := range all {
		if h.done {
			k.tally.released[delivery.Ready]++
			continue
		}
		k.tally.released[why]++
		if h.several {
			k.tally.ambiguous++
		}
		if h.record.TraceID().IsEmpty() {
			k.tally.of(h.origin.empty.Resource()).without[h.why]++
		}
	}
	k.telemetry.count(ctx, &k.tally)
}

func (k *keeper) lost(records int, err error) {
	ctx := context.Background()
	k.logger.Error("Held records are lost: the next component did not accept them", zap.Int("records", records), zap.Error(err))
	k.telemetry.builder.LogCorrelationLost.Add(ctx, int64(records))
	k.telemetry.builder.LogCorrelationHolding.Add(ctx, -int64(records))
}

// render writes held records as a batch that shares nothing with them.
func render(all []*held) plog.Logs {
	ld := plog.NewLogs()
	scopes := map[*origin]plog.LogRecordSlice{}
	for _, h := range all {
		records, ok := scopes[h.origin]
		if !ok {
			rl := ld.ResourceLogs().AppendEmpty()
			h.origin.empty.CopyTo(rl)
			records = rl.ScopeLogs().At(0).LogRecords()
			scopes[h.origin] = records
		}
		h.record.CopyTo(records.AppendEmpty())
	}
	return ld
}
