// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"context"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/metadata"
)

// telemetry counts what the processor does. No label set contains a value from telemetry.
type telemetry struct {
	builder *metadata.TelemetryBuilder
	traffic string // the signal
	signal  metric.MeasurementOption
	systems []*naming.System
	labels  []atomic.Pointer[metric.MeasurementOption] // by slot; most are never needed
	copies  []metric.MeasurementOption                 // by the index of the system
}

// slot returns the index of the counter for a rule and a system.
func slot(rule naming.Rule, system *naming.System) int {
	return system.Index()*naming.RuleCount + int(rule)
}

func newTelemetry(builder *metadata.TelemetryBuilder, namer *naming.Namer, signal string) *telemetry {
	systems := namer.Owners()
	t := &telemetry{
		builder: builder,
		traffic: signal,
		signal:  metric.WithAttributes(attribute.String("signal", signal)),
		systems: make([]*naming.System, len(systems)),
		labels:  make([]atomic.Pointer[metric.MeasurementOption], len(systems)*naming.RuleCount),
		copies:  make([]metric.MeasurementOption, len(systems)),
	}
	for _, system := range systems {
		t.copies[system.Index()] = metric.WithAttributes(attribute.String("system", system.Name()))
		t.systems[system.Index()] = system
	}
	return t
}

// labelsOf returns the labels of a slot.
func (t *telemetry) labelsOf(i int) metric.MeasurementOption {
	labels := t.labels[i].Load()
	if labels == nil {
		made := metric.WithAttributes(
			attribute.String("signal", t.traffic),
			attribute.Stringer("rule", naming.Rule(i%naming.RuleCount)),
			attribute.String("system", t.systems[i/naming.RuleCount].Name()))
		labels = &made
		t.labels[i].Store(labels)
	}
	return *labels
}

func (t *telemetry) shutdown() { t.builder.Shutdown() }

// replaced counts the values that a rule for content replaced.
func (t *telemetry) replaced(rule *content.Rule, action content.Action, values int64) {
	t.builder.NamingContent.Add(context.Background(), values, metric.WithAttributes(
		attribute.String("signal", t.traffic),
		attribute.String("key", rule.Label),
		attribute.String("action", string(action))))
}

// tally holds the counts of one batch.
type tally struct {
	items, conformant   int64
	changes, violations []int64 // by slot
	copied              []int64 // by the index of the system
}

func (t *telemetry) newTally() tally {
	counts := make([]int64, 2*len(t.labels))
	return tally{changes: counts[:len(t.labels)], violations: counts[len(t.labels):], copied: make([]int64, len(t.copies))}
}

func (t *tally) reset() {
	t.items, t.conformant = 0, 0
	clear(t.changes)
	clear(t.violations)
	clear(t.copied)
}

func (t *tally) item(conformant bool) {
	t.items++
	if conformant {
		t.conformant++
	}
}

func (t *tally) change(rule naming.Rule, system *naming.System) { t.changes[slot(rule, system)]++ }
func (t *tally) violation(rule naming.Rule, system *naming.System) {
	t.violations[slot(rule, system)]++
}

func (t *tally) copy(system *naming.System) { t.copied[system.Index()]++ }

// add adds the counts of a batch to the counters.
func (t *telemetry) add(ctx context.Context, batch *tally) {
	t.builder.NamingItems.Add(ctx, batch.items, t.signal)
	t.builder.NamingConformantItems.Add(ctx, batch.conformant, t.signal)
	for i := range t.labels {
		if n := batch.changes[i]; n > 0 {
			t.builder.NamingChanges.Add(ctx, n, t.labelsOf(i))
		}
		if n := batch.violations[i]; n > 0 {
			t.builder.NamingViolations.Add(ctx, n, t.labelsOf(i))
		}
	}
	for i, labels := range t.copies {
		if n := batch.copied[i]; n > 0 {
			t.builder.NamingCopies.Add(ctx, n, labels)
		}
	}
}
