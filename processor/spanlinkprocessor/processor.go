// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"context"
	"errors"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/internal/delivery"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor/internal/linkrule"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor/internal/metadata"
)

// linker links spans by the rules of one policy. It is safe for concurrent use.
type linker struct {
	config  *Config
	set     processor.Settings
	next    consumer.Traces
	indexID component.ID
	user    *policy.User[*linker]
	held    *holding

	// Since start.
	walks     *sync.Pool // of *walk
	policy    *policy.Policy
	rules     []*linkrule.Rule
	names     *linkrule.Names
	index     correlation.Index
	queue     *delivery.Queue[*heldSpan] // nil: no rule held so far
	keep      *keep                      // nil: held spans are in memory only
	telemetry *telemetry
}

func newLinker(set processor.Settings, cfg *Config, next consumer.Traces) *linker {
	l := &linker{config: cfg, set: set, next: next, indexID: defaultIndex, held: &holding{}}
	if cfg.Index != nil {
		l.indexID = *cfg.Index
	}
	return l
}

// defaultIndex is the index where the setting names none.
var defaultIndex = component.MustNewID("correlation_index")

func (l *linker) start(ctx context.Context, host component.Host) error {
	builder, err := metadata.NewTelemetryBuilder(l.set.TelemetrySettings)
	if err != nil {
		return err
	}
	l.telemetry = &telemetry{builder: builder}
	if l.index, err = correlation.Find(host, l.indexID); err != nil {
		return err
	}
	if l.config.StateDirectory != "" {
		if err := l.openKeep(); err != nil {
			return err
		}
	}
	l.user, err = policy.Use(host, l.set.ID, l.config.Mode, func(current *policy.Policy, before *linker) (*linker, func(), error) {
		if before == nil {
			return l, nil, l.prepare(ctx, current)
		}
		next := *before
		return &next, nil, next.prepare(ctx, current)
	})
	if err != nil || l.keep == nil {
		return err
	}
	return l.restore(ctx)
}

// prepare sets what depends on the packs. Spans that an earlier policy holds stay with its linker.
func (l *linker) prepare(ctx context.Context, current *policy.Policy) error {
	loaded, err := correlation.LoadRules(l.config.Rules, current.Packs(), l.config.Scope)
	if err != nil {
		return err
	}
	rules, stages := linkrule.New(loaded)
	l.policy, l.rules, l.names = current, rules, linkrule.NewNames(stages)
	l.telemetry = newTelemetry(l.telemetry.builder, current.Links(), rules)
	l.walks = &sync.Pool{New: func() any { return newWalk(l) }}
	holds := false
	for _, r := range rules {
		if err := r.Start(l.indexID, l.index.Window(), l.set.Logger); err != nil {
			return err
		}
		holds = holds || r.HoldFor > 0
	}
	// Of an earlier start, spans may be in the directory.
	if l.keep != nil || holds && (current.Mixed() || !current.Audit("")) {
		return l.startQueue(ctx)
	}
	return nil
}

// startQueue starts the queue of spans that wait. All linkers of a processor share it.
func (l *linker) startQueue(ctx context.Context) error {
	shared := l.held
	shared.once.Do(func() {
		shared.queue = newQueue(l, l.set, l.config, l.next)
		shared.err = shared.queue.Start(ctx)
	})
	l.queue = shared.queue
	return shared.err
}

func (l *linker) shutdown(ctx context.Context) error {
	var err error
	if l.held.queue != nil {
		if err = l.held.queue.Shutdown(ctx); l.keep != nil {
			err = nil // what could not be delivered comes again after the next start
		}
	}
	err = errors.Join(err, l.keep.close())
	if l.telemetry != nil {
		l.telemetry.builder.Shutdown()
	}
	return err
}

// holding is the queue of spans that wait, which all linkers of a processor share.
type holding struct {
	once  sync.Once
	queue *delivery.Queue[*heldSpan] // nil until a rule holds
	err   error
}

// process links the spans of one batch by the policy of its context. The part of it that is audited is processed as a
// copy, which is discarded: the index gets its spans, and the counts are those of enforce mode.
func (l *linker) process(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
	l = l.user.Of(ctx)
	before := td.ResourceSpans().Len()
	policy.Traces.Process(td, l.policy, func(part ptrace.Traces, audited bool) { l.processPart(ctx, part, audited) })
	if before > 0 && td.ResourceSpans().Len() == 0 {
		return td, processorhelper.ErrSkipProcessingData // all is held
	}
	return td, nil
}

func (l *linker) processPart(ctx context.Context, td ptrace.Traces, audited bool) {
	w := l.walks.Get().(*walk)
	defer w.end(ctx)
	w.process(ctx, td, audited)
	if !audited {
		w.takeOut(ctx, td)
	}
}
