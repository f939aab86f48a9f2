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
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/internal/protect"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/copyplan"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/decisions"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/metadata"
)

// namingProcessor makes the names of one signal conformant by one policy. It is safe for concurrent use.
type namingProcessor struct {
	config        *Config
	set           processor.Settings
	signal        string
	maxValueBytes int
	keepOriginal  bool
	started       pcommon.Timestamp
	walks         *sync.Pool // holds *walk
	protects      *sync.Pool // holds *protect.Walk
	user          *policy.User[*namingProcessor]

	// Since start.
	policy    *policy.Policy
	namer     *naming.Namer
	copies    []*copyplan.Plan // of attributes, by the index of the owner
	decisions *decisions.Names
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
	}
	if p.maxValueBytes == 0 {
		p.maxValueBytes = math.MaxInt // no limit
	}
	return p
}

func (p *namingProcessor) options() []processorhelper.Option {
	return []processorhelper.Option{
		processorhelper.WithCapabilities(consumer.Capabilities{MutatesData: true}),
		processorhelper.WithStart(p.start),
		processorhelper.WithShutdown(p.shutdown),
	}
}

// start has the processor go by the policy of its host.
func (p *namingProcessor) start(_ context.Context, host component.Host) error {
	builder, err := metadata.NewTelemetryBuilder(p.set.TelemetrySettings)
	if err != nil {
		return err
	}
	p.telemetry = &telemetry{builder: builder}
	p.user, err = policy.Use(host, p.set.ID, p.config.Mode, func(current *policy.Policy, before *namingProcessor) (*namingProcessor, func(), error) {
		if before == nil {
			p.prepare(current, nil)
			return p, nil, nil
		}
		next := *before
		next.prepare(current, before)
		return &next, nil, nil
	})
	return err
}

// prepare prepares what depends on the packs. Before is the processor by the policy before, or nil.
func (p *namingProcessor) prepare(current *policy.Policy, before *namingProcessor) {
	p.policy, p.namer = current, current.Namer()
	p.copies = copyplan.New(p.namer, current.Content())
	p.telemetry = newTelemetry(p.telemetry.builder, p.namer, p.signal)
	if before == nil {
		p.decisions = decisions.New(p.namer, p.config.MaxNames)
	} else {
		p.decisions = before.decisions.Replace(p.namer)
	}
	p.walks = &sync.Pool{New: func() any { return p.newWalk() }}
	p.protects = &sync.Pool{New: func() any {
		w := protect.New(current.Content(), p.telemetry.replaced)
		w.Mapped = p.namer.MappedSpan
		return w
	}}
}

func (p *namingProcessor) shutdown(context.Context) error {
	if p.user == nil {
		return nil // not started
	}
	p.telemetry.shutdown()
	return nil
}

// protected calls a function with a walk that protects content. It comes before names are decided, so that
// nothing of content gets into caches, and again where a pack gave an attribute a key that
// is protected.
func (p *namingProcessor) protected(walk func(*protect.Walk)) {
	w := p.protects.Get().(*protect.Walk)
	walk(w)
	p.protects.Put(w)
}

// process processes one batch by the policy of its context. What is protected is so in all modes. The part that is
// audited is repaired as a copy, which is discarded.
func process[D any](ctx context.Context, p *namingProcessor, s signal[D], batch D) {
	p = p.user.Of(ctx)
	if s.content != nil {
		w := p.walks.Get().(*walk)
		s.content(w, batch)
		w.end(ctx)
	}
	p.protected(func(w *protect.Walk) { s.protect(w, batch) })
	s.byMode(batch, p.policy, func(part D, audited bool) {
		w := p.walks.Get().(*walk)
		s.repair(w, part)
		if exposed := w.end(ctx); exposed && !audited {
			p.protected(func(w *protect.Walk) { s.protect(w, part) })
		}
	})
}

// signal contains what differs between traces, metrics and logs. D is a batch.
type signal[D any] struct {
	// byMode calls repair for the parts of a batch that are enforced and audited.
	byMode func(batch D, p *policy.Policy, repair func(part D, audited bool))
	// content copies fields of content before they are replaced. It is nil for metrics, which have none.
	content func(*walk, D)
	// protect replaces content and secrets.
	protect func(*protect.Walk, D)
	// repair makes names and attributes conformant.
	repair func(*walk, D)
}

var traces = signal[ptrace.Traces]{
	byMode: policy.Traces.Process, content: (*walk).contentOfTraces, protect: (*protect.Walk).Traces, repair: (*walk).traces,
}

var metrics = signal[pmetric.Metrics]{
	byMode: policy.Metrics.Process, protect: (*protect.Walk).Metrics, repair: (*walk).metrics,
}

var logs = signal[plog.Logs]{
	byMode: policy.Logs.Process, content: (*walk).contentOfLogs, protect: (*protect.Walk).Logs, repair: (*walk).logs,
}

// The heads pin the policy of a batch: the components that come later go by the same.

type tracesHead struct {
	processor.Traces
	processor *namingProcessor
}

// ConsumeTraces implements consumer.Traces.
func (h tracesHead) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	return h.Traces.ConsumeTraces(h.processor.user.Pin(ctx), td)
}

type metricsHead struct {
	processor.Metrics
	processor *namingProcessor
}

// ConsumeMetrics implements consumer.Metrics.
func (h metricsHead) ConsumeMetrics(ctx context.Context, md pmetric.Metrics) error {
	return h.Metrics.ConsumeMetrics(h.processor.user.Pin(ctx), md)
}

type logsHead struct {
	processor.Logs
	processor *namingProcessor
}

// ConsumeLogs implements consumer.Logs.
func (h logsHead) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	return h.Logs.ConsumeLogs(h.processor.user.Pin(ctx), ld)
}
