package logcorrelationprocessor

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
)

// correlator gives records their ids. It is safe for concurrent use.
type correlator struct {
	keys         *tracecontext.Keys
	overwrite    bool
	removeSource bool
	deduplicator *deduplicator // nil: records that come twice stay
	indexing     *indexing     // nil: there is no index
	keeper       *keeper       // nil: nothing is held
	telemetry    *telemetry
	walks        sync.Pool // of *walk
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
	indexing, err := newIndexing(cfg)
	if err != nil {
		return nil, err
	}
	p := &correlator{
		keys:         tracecontext.NewKeys(own, cfg.CallerSpans),
		overwrite:    cfg.Overwrite,
		removeSource: cfg.RemoveSource,
		indexing:     indexing,
		telemetry:    telemetry,
	}
	if p.deduplicator, err = newDeduplicator(cfg); err != nil {
		return nil, err
	}
	if cfg.Hold > 0 {
		p.keeper = newKeeper(indexing, cfg, next, telemetry, set.Logger)
	}
	p.walks.New = func() any { return newWalk(p) }
	return p, nil
}

func (p *correlator) start(ctx context.Context, host component.Host) error {
	if p.indexing == nil {
		return nil
	}
	if err := p.indexing.start(ctx, host); err != nil {
		return err
	}
	if p.keeper == nil {
		return nil
	}
	return p.keeper.queue.Start(ctx)
}

func (p *correlator) shutdown(ctx context.Context) error {
	var err error
	if p.keeper != nil {
		err = p.keeper.queue.Shutdown(ctx)
	}
	p.telemetry.builder.Shutdown()
	return err
}

// process handles one batch. Duplicates are removed first, so that they are not counted as
// enriched.
func (p *correlator) process(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	w := p.walks.Get().(*walk)
	defer w.end(ctx)
	removed := false
	if p.deduplicator != nil {
		w.duplicates = p.deduplicator.removeFrom(ctx, ld)
		removed = w.duplicates > 0
	}
	w.logs(ld)
	if p.indexing != nil && w.askIndex(ctx, ld) {
		removed = true
	}
	if removed && ld.ResourceLogs().Len() == 0 {
		return ld, processorhelper.ErrSkipProcessingData
	}
	return ld, nil
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

// outer is the processor that the pipeline has if it remembers or holds records.
type outer struct {
	processor.Logs
	deduplicator *deduplicator // nil: records that come twice stay
	keeper       *keeper       // nil: nothing is held
}

// ConsumeLogs processes and forwards a batch.
func (o outer) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	p := &pending{}
	if err := o.Logs.ConsumeLogs(context.WithValue(ctx, pendingKey{}, p), ld); err != nil {
		if o.deduplicator != nil {
			// The batch comes again, and is not its own duplicate.
			o.deduplicator.records.Forget(p.claimed)
		}
		return err
	}
	if o.keeper != nil {
		o.keeper.hold(ctx, p.held)
	}
	return nil
}
