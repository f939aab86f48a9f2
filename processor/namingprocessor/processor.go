// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"context"
	"math"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/audit"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/internal/protect"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/copyplan"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/explain"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/known"
)

// namingProcessor makes the names of one signal conformant. It is safe for
// concurrent use.
type namingProcessor struct {
	config        *Config
	set           processor.Settings
	signal        string
	maxValueBytes int
	keepOriginal  bool
	started       pcommon.Timestamp
	clock         func() time.Time // decides when copies end
	walks         sync.Pool        // holds *walk
	protects      sync.Pool        // holds *protect.Walk

	// Since start.
	policy    *policy.Policy
	namer     *naming.Namer
	copies    []*copyplan.Plan // of attributes, by the index of the owner
	explain   *explain.Table
	known     *known.Names
	telemetry *telemetry
}

func newProcessor(set processor.Settings, cfg *Config, signal string) *namingProcessor {
	p := &namingProcessor{
		config:        cfg,
		set:           set,
		signal:        signal,
		maxValueBytes: cfg.MaxValueBytes,
		keepOriginal:  cfg.KeepOriginal,
		started:       pcommon.NewTimestampFromTime(time.Now()),
		clock:         time.Now,
	}
	if p.maxValueBytes == 0 {
		p.maxValueBytes = math.MaxInt // no limit
	}
	p.walks.New = func() any { return p.newWalk() }
	p.protects.New = func() any { return protect.New(p.policy.Content(), p.telemetry.replaced) }
	return p
}

func (p *namingProcessor) options() []processorhelper.Option {
	return []processorhelper.Option{
		processorhelper.WithCapabilities(consumer.Capabilities{MutatesData: true}),
		processorhelper.WithStart(p.start),
		processorhelper.WithShutdown(p.shutdown),
	}
}

// start prepares what depends on the packs, which the conventions extension may have.
func (p *namingProcessor) start(_ context.Context, host component.Host) error {
	cfg := p.config
	var err error
	if p.policy, err = policy.For(host, cfg.Mode); err != nil {
		return err
	}
	p.namer = p.policy.Namer()
	p.copies = copyplan.New(p.namer, p.policy.Content())
	if p.telemetry, err = newTelemetry(p.set.TelemetrySettings, p.namer, p.signal); err != nil {
		return err
	}
	p.explain = explain.New(p.set.Logger, p.policy.Audit)
	p.known = known.New(p.namer, p.explain, cfg.MaxNames)
	return nil
}

func (p *namingProcessor) shutdown(context.Context) error {
	if p.telemetry == nil {
		return nil // not started
	}
	p.explain.Summary()
	p.telemetry.shutdown()
	return nil
}

// protected calls a function with a walk that protects content. It comes before names are decided, so that
// nothing of content gets into caches and explanations, and again where a pack gave an attribute a key that
// is protected.
func (p *namingProcessor) protected(walk func(*protect.Walk)) {
	w := p.protects.Get().(*protect.Walk)
	walk(w)
	p.protects.Put(w)
}

// processTraces processes one batch. The part of it that is audited is processed as a copy, which is
// discarded: the counts equal those of enforce mode, and the data stays unchanged, but for what is protected
// in all modes.
func (p *namingProcessor) processTraces(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	p.copyContentFields(ctx, func(w *walk) { w.contentOfTraces(td) })
	p.protected(func(w *protect.Walk) { w.Traces(td) })
	repair := func(part ptrace.Traces) (exposed bool) {
		w := p.walks.Get().(*walk)
		w.traces(part)
		return w.end(ctx)
	}
	audit.Traces(td, p.policy, func(part ptrace.Traces) {
		if repair(part) {
			p.protected(func(w *protect.Walk) { w.Traces(part) })
		}
	}, func(part ptrace.Traces) {
		copied := ptrace.NewTraces()
		part.CopyTo(copied)
		repair(copied)
	})
	return td, nil
}

// processMetrics does for metrics what processTraces does for spans.
func (p *namingProcessor) processMetrics(ctx context.Context, md pmetric.Metrics) (pmetric.Metrics, error) {
	p.protected(func(w *protect.Walk) { w.Metrics(md) })
	repair := func(part pmetric.Metrics) (exposed bool) {
		w := p.walks.Get().(*walk)
		w.now = p.clock()
		w.metrics(part)
		return w.end(ctx)
	}
	audit.Metrics(md, p.policy, func(part pmetric.Metrics) {
		if repair(part) {
			p.protected(func(w *protect.Walk) { w.Metrics(part) })
		}
	}, func(part pmetric.Metrics) {
		copied := pmetric.NewMetrics()
		part.CopyTo(copied)
		repair(copied)
	})
	return md, nil
}

// processLogs does for log records what processTraces does for spans.
func (p *namingProcessor) processLogs(ctx context.Context, ld plog.Logs) (plog.Logs, error) {
	p.copyContentFields(ctx, func(w *walk) { w.contentOfLogs(ld) })
	p.protected(func(w *protect.Walk) { w.Logs(ld) })
	repair := func(part plog.Logs) (exposed bool) {
		w := p.walks.Get().(*walk)
		w.logs(part)
		return w.end(ctx)
	}
	audit.Logs(ld, p.policy, func(part plog.Logs) {
		if repair(part) {
			p.protected(func(w *protect.Walk) { w.Logs(part) })
		}
	}, func(part plog.Logs) {
		copied := plog.NewLogs()
		part.CopyTo(copied)
		repair(copied)
	})
	return ld, nil
}
