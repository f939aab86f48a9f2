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
)

// linker links spans. It is safe for concurrent use.
type linker struct {
	config  *Config
	set     processor.Settings
	next    consumer.Traces
	indexID component.ID
	walks   sync.Pool // of *walk

	// Since start.
	policy    *policy.Policy
	rules     []*linkrule.Rule
	names     *linkrule.Names
	index     correlation.Index
	queue     *delivery.Queue[*heldSpan] // nil: no rule holds
	keep      *keep                      // nil: held spans are in memory only
	telemetry *telemetry
}

func newLinker(set processor.Settings, cfg *Config, next consumer.Traces) *linker {
	l := &linker{config: cfg, set: set, next: next, indexID: defaultIndex}
	if cfg.Index != nil {
		l.indexID = *cfg.Index
	}
	l.walks.New = func() any { return newWalk(l) }
	return l
}

// defaultIndex is the index where the setting names none.
var defaultIndex = component.MustNewID("correlation_index")

func (l *linker) start(ctx context.Context, host component.Host) error {
	var err error
	if l.policy, err = policy.For(host, l.config.Mode); err != nil {
		return err
	}
	loaded, err := correlation.LoadRules(l.config.Rules, l.policy.Packs(), l.config.Scope)
	if err != nil {
		return err
	}
	rules, stages := linkrule.New(loaded)
	l.rules, l.names = rules, linkrule.NewNames(stages)
	if l.telemetry, err = newTelemetry(l.set.TelemetrySettings, l.policy.Links(), rules); err != nil {
		return err
	}
	if l.index, err = correlation.Find(host, l.indexID); err != nil {
		return err
	}
	holds := false
	for _, r := range rules {
		if err := r.Start(l.indexID, l.index.Window(), l.set.Logger); err != nil {
			return err
		}
		holds = holds || r.HoldFor > 0
	}
	// Of an earlier start, spans may be in the directory.
	if l.config.StateDirectory != "" || holds && (l.policy.Mixed() || !l.policy.Audit("")) {
		return l.startHolding(ctx)
	}
	return nil
}

func (l *linker) startHolding(ctx context.Context) error {
	l.queue = newQueue(l, l.set, l.config, l.next)
	if l.config.StateDirectory != "" {
		if err := l.openKeep(); err != nil {
			return err
		}
	}
	if err := l.queue.Start(ctx); err != nil || l.keep == nil {
		return err
	}
	return l.restore(ctx)
}

func (l *linker) shutdown(ctx context.Context) error {
	var err error
	if l.queue != nil {
		if err = l.queue.Shutdown(ctx); l.keep != nil {
			err = nil // what could not be delivered comes again after the next start
		}
	}
	err = errors.Join(err, l.keep.close())
	if l.telemetry != nil {
		l.telemetry.builder.Shutdown()
	}
	return err
}

// process links the spans of one batch. The part of it that is audited is processed as a copy, which is
// discarded: the index gets its spans, and the counts are those of enforce mode.
func (l *linker) process(ctx context.Context, td ptrace.Traces) (ptrace.Traces, error) {
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
