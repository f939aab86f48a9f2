// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
)

// correlator gives records their ids by one policy. It is safe for concurrent use.
type correlator struct {
	id        component.ID
	config    *Config
	next      consumer.Logs
	logger    *zap.Logger
	keys      *tracecontext.Keys
	telemetry *telemetry
	user      *policy.User[*correlator]

	// Since start.
	walks        *sync.Pool // of *walk
	policy       *policy.Policy
	deduplicator *deduplicator // nil: records that come twice stay
	index        *keyIndex     // nil: there is no index
	keeper       *keeper       // nil: nothing is held
}

func newProcessor(set processor.Settings, cfg *Config, next consumer.Logs) (*correlator, error) {
	telemetry, err := newTelemetry(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	own := make([]tracecontext.CustomKeys, len(cfg.Fields))
	for i, item := range cfg.Fields {
		own[i] = tracecontext.CustomKeys{
			TraceID: item.TraceID, SpanID: item.SpanID, TraceFlags: item.TraceFlags,
			Encoding: tracecontext.Encoding(item.Encoding),
		}
	}
	return &correlator{
		id:        set.ID,
		config:    cfg,
		next:      next,
		logger:    set.Logger,
		keys:      tracecontext.NewKeys(own, cfg.CallerSpans),
		telemetry: telemetry,
	}, nil
}

func (p *correlator) start(ctx context.Context, host component.Host) (err error) {
	if p.config.Index != nil && p.config.Hold > 0 {
		p.keeper = newKeeper(p.config, p.next, p.telemetry, p.logger)
	}
	p.user, err = policy.Use(host, p.id, "", func(current *policy.Policy, before *correlator) (*correlator, func(), error) {
		if before == nil {
			p.telemetry.logs = current.Logs() // which all policies of a collector share
			return p, nil, p.prepare(host, current)
		}
		next := *before
		return &next, nil, next.prepare(host, current)
	})
	if err != nil || p.keeper == nil {
		return err
	}
	return p.keeper.queue.Start(ctx)
}

// prepare sets what depends on the packs. Records that are held already keep to the packs of their batch.
func (p *correlator) prepare(host component.Host, current *policy.Policy) (err error) {
	p.policy = current
	p.deduplicator = newDeduplicator(p.config, current.Packs(), p.deduplicator)
	p.walks = &sync.Pool{New: func() any { return newWalk(p) }}
	if p.config.Index != nil {
		p.index, err = newKeyIndex(host, p.config, current.Packs())
	}
	return err
}

func (p *correlator) shutdown(ctx context.Context) error {
	var err error
	if p.keeper != nil {
		err = p.keeper.queue.Shutdown(ctx)
	}
	p.telemetry.builder.Shutdown()
	return err
}

// process handles one batch by the policy of its context. The part of it that is audited is processed as a copy, which
// is discarded: the index gets its records, and the counts are those of enforce mode without hold.
func (p *correlator) process(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	p = p.user.Of(ctx)
	before := ld.ResourceLogs().Len()
	policy.Logs.Process(ld, p.policy, func(part plog.Logs, audited bool) { p.processPart(ctx, part, audited) })
	if before > 0 && ld.ResourceLogs().Len() == 0 {
		return ld, processorhelper.ErrSkipProcessingData
	}
	return ld, nil
}

func (p *correlator) processPart(ctx context.Context, ld plog.Logs, audited bool) {
	w := p.walks.Get().(*walk)
	defer w.end(ctx)
	w.process(ctx, ld, audited)
}

// pending is what the result of the next component decides about a batch. If that refuses the
// batch, the sender sends all of it again.
type pending struct {
	claimed []attrhash.Hash // for not being duplicates
	held    []*held
}

type pendingKey struct{}

// pendingOf returns nil if the processor neither remembers nor holds records.
func pendingOf(ctx context.Context) *pending {
	p, _ := ctx.Value(pendingKey{}).(*pending)
	return p
}

// outer is the processor that the pipeline has, because the processor may remember or hold records.
type outer struct {
	processor.Logs
	correlator *correlator
}

// ConsumeLogs processes and forwards a batch.
func (o outer) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	ctx = o.correlator.user.Pin(ctx)
	correlator := o.correlator.user.Of(ctx)
	deduplicator, keeper := correlator.deduplicator, correlator.keeper
	if deduplicator == nil && keeper == nil {
		return o.Logs.ConsumeLogs(ctx, ld)
	}
	p := &pending{}
	if err := o.Logs.ConsumeLogs(context.WithValue(ctx, pendingKey{}, p), ld); err != nil {
		if deduplicator != nil {
			// The batch comes again, and is not its own duplicate.
			deduplicator.events.Forget(p.claimed)
		}
		return err
	}
	if keeper != nil {
		keeper.add(ctx, correlator.index, p.held)
	}
	return nil
}
