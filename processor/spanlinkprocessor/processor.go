package spanlinkprocessor

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/internal/holding"
	"github.com/otelcol-tc/otelcol-tc/internal/settings"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor/internal/linkrule"
)

// linker links spans. It is safe for concurrent use.
type linker struct {
	rules     []*linkrule.Rule
	names     *linkrule.Names
	indexID   component.ID
	index     correlation.Index // since start
	audit     bool
	queue     *holding.Queue[*heldSpan] // nil: no rule holds
	logger    *zap.Logger
	telemetry *telemetry
	walks     sync.Pool // of *walk
}

func newLinker(set processor.Settings, cfg *Config, next consumer.Traces) (*linker, error) {
	loaded, err := correlation.LoadRules(cfg.Rules, cfg.Packs, cfg.Scope)
	if err != nil {
		return nil, err
	}
	rules, stages := linkrule.New(loaded)
	telemetry, err := newTelemetry(set.TelemetrySettings, rules)
	if err != nil {
		return nil, err
	}
	l := &linker{
		rules: rules, names: &linkrule.Names{Stages: stages}, indexID: defaultIndex,
		audit: cfg.Mode == settings.Audit, logger: set.Logger, telemetry: telemetry,
	}
	if cfg.Index != nil {
		l.indexID = *cfg.Index
	}
	for _, r := range rules {
		if r.HoldFor > 0 && !l.audit {
			l.queue = newQueue(l, set, cfg, next)
			break
		}
	}
	l.walks.New = func() any { return newWalk(l) }
	return l, nil
}

// defaultIndex is the index where the setting names none.
var defaultIndex = component.MustNewID("correlation_index")

func (l *linker) start(ctx context.Context, host component.Host) error {
	index, err := correlation.Find(host, l.indexID)
	if err != nil {
		return err
	}
	l.index = index
	for _, r := range l.rules {
		if err := r.Start(l.indexID, index.Window(), l.logger); err != nil {
			return err
		}
	}
	if l.queue != nil {
		return l.queue.Start(ctx)
	}
	return nil
}

func (l *linker) shutdown(ctx context.Context) error {
	var err error
	if l.queue != nil {
		err = l.queue.Shutdown(ctx)
	}
	l.telemetry.builder.Shutdown()
	return err
}

// process links the spans of one batch.
func (l *linker) process(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	w := l.walks.Get().(*walk)
	defer w.end(ctx)
	if l.audit {
		tried := ptrace.NewTraces()
		td.CopyTo(tried)
		w.process(ctx, tried)
		return td, nil
	}
	before := td.ResourceSpans().Len()
	w.process(ctx, td)
	w.takeOut(ctx, td)
	if before > 0 && td.ResourceSpans().Len() == 0 {
		return td, processorhelper.ErrSkipProcessingData // all is held
	}
	return td, nil
}
