package namingprocessor

import (
	"context"
	"math"
	"sync"
	"time"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/explain"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/known"
)

// namingProcessor makes the names of one signal conformant. It is safe for
// concurrent use.
type namingProcessor struct {
	namer         *naming.Namer
	keepOriginal  bool
	maxValueBytes int
	audit         bool
	started       pcommon.Timestamp
	explain       *explain.Table
	known         *known.Names
	telemetry     *telemetry
	walks         sync.Pool // holds *walk
}

func newProcessor(set processor.Settings, cfg *Config, signal string) (*namingProcessor, error) {
	packs, err := conventions.Load(cfg.Packs)
	if err != nil {
		return nil, err
	}
	namer := naming.New(packs, naming.Options{
		Prefix: cfg.Prefix,
		Exempt: cfg.Exempt,

		SensitiveKeys: cfg.SensitiveKeys,
		Sensitive:     conventions.Sensitive(cfg.Sensitive),
	})
	telemetry, err := newTelemetry(set.TelemetrySettings, namer, signal)
	if err != nil {
		return nil, err
	}
	explain := explain.New(set.Logger, cfg.Mode == modeAudit)
	p := &namingProcessor{
		namer:         namer,
		keepOriginal:  cfg.KeepOriginal,
		maxValueBytes: cfg.MaxValueBytes,
		audit:         cfg.Mode == modeAudit,
		started:       pcommon.NewTimestampFromTime(time.Now()),
		known:         known.New(namer, explain, cfg.MaxNames),
		explain:       explain,
		telemetry:     telemetry,
	}
	if p.maxValueBytes == 0 {
		p.maxValueBytes = math.MaxInt // no limit
	}
	p.walks.New = func() any { return p.newWalk() }
	return p, nil
}

func (p *namingProcessor) options() []processorhelper.Option {
	return []processorhelper.Option{
		processorhelper.WithCapabilities(consumer.Capabilities{MutatesData: !p.audit}),
		processorhelper.WithShutdown(func(context.Context) error {
			p.explain.Summary()
			p.telemetry.shutdown()
			return nil
		}),
	}
}

// toChange returns the data that a walk changes. In audit mode it is a copy, which is discarded: the
// counts equal those of enforce mode, and the data stays unchanged.
func toChange[D interface{ CopyTo(D) }](p *namingProcessor, data D, empty func() D) D {
	if !p.audit {
		return data
	}
	copied := empty()
	data.CopyTo(copied)
	return copied
}

func (p *namingProcessor) processTraces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	w := p.walks.Get().(*walk)
	w.traces(toChange(p, td, ptrace.NewTraces))
	w.end(ctx)
	return td, nil
}

func (p *namingProcessor) processMetrics(ctx context.Context, md pmetric.Metrics) (pmetric.Metrics, error) {
	w := p.walks.Get().(*walk)
	w.metrics(toChange(p, md, pmetric.NewMetrics))
	w.end(ctx)
	return md, nil
}

func (p *namingProcessor) processLogs(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	w := p.walks.Get().(*walk)
	w.logs(toChange(p, ld, plog.NewLogs))
	w.end(ctx)
	return ld, nil
}
