package logcorrelationprocessor

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"

	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
)

// correlator gives records their ids. It is safe for concurrent use.
type correlator struct {
	keys         *tracecontext.Keys
	overwrite    bool
	removeSource bool
	deduplicator *deduplicator // nil: records that come twice stay
	telemetry    *telemetry
	walks        sync.Pool // of *walk
}

func newProcessor(set processor.Settings, cfg *Config) (*correlator, error) {
	telemetry, err := newTelemetry(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	own := make([]tracecontext.OwnKeys, len(cfg.Fields))
	for i, item := range cfg.Fields {
		own[i] = tracecontext.OwnKeys{
			TraceID: item.TraceID, SpanID: item.SpanID, TraceFlags: item.TraceFlags,
			Encoding: tracecontext.Encoding(item.Encoding),
		}
	}
	p := &correlator{
		keys:         tracecontext.NewKeys(own, cfg.CallerSpans),
		overwrite:    cfg.Overwrite,
		removeSource: cfg.RemoveSource,
		telemetry:    telemetry,
	}
	if cfg.DedupWindow > 0 {
		p.deduplicator = newDeduplicator(cfg.DedupWindow)
	}
	p.walks.New = func() any { return newWalk(p) }
	return p, nil
}

func (p *correlator) shutdown(context.Context) error {
	p.telemetry.builder.Shutdown()
	return nil
}

// process does one batch. What comes twice goes first, so that it is not counted
// as enriched.
func (p *correlator) process(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	w := p.walks.Get().(*walk)
	defer w.end(ctx)
	if p.deduplicator != nil {
		w.duplicates = p.deduplicator.removeFrom(ctx, ld)
		if w.duplicates > 0 && ld.ResourceLogs().Len() == 0 {
			return ld, processorhelper.ErrSkipProcessingData
		}
	}
	w.logs(ld)
	return ld, nil
}
