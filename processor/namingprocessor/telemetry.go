package namingprocessor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/metadata"
)

// telemetry counts what the processor does. All label sets are made at the
// start; none holds a value from telemetry.
type telemetry struct {
	builder *metadata.TelemetryBuilder
	signal  metric.MeasurementOption
	labels  map[count]metric.MeasurementOption
}

// count is what changes and violations are counted by.
type count struct {
	rule   naming.Rule
	system *naming.System
}

func newTelemetry(set component.TelemetrySettings, namer *naming.Namer, signal string) (*telemetry, error) {
	builder, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, err
	}
	t := &telemetry{
		builder: builder,
		signal:  metric.WithAttributeSet(attribute.NewSet(attribute.String("signal", signal))),
		labels:  map[count]metric.MeasurementOption{},
	}
	for _, system := range append(namer.Systems(), nil) {
		for _, rule := range naming.Rules() {
			t.labels[count{rule, system}] = metric.WithAttributeSet(attribute.NewSet(
				attribute.String("signal", signal),
				attribute.String("rule", string(rule)),
				attribute.String("system", system.Name())))
		}
	}
	return t, nil
}

func (t *telemetry) shutdown() { t.builder.Shutdown() }

// tally is what one batch adds to the counters.
type tally struct {
	items, conformant, dropped int64
	changes, violations        map[count]int64
}

func (t *telemetry) newTally() tally {
	return tally{changes: map[count]int64{}, violations: map[count]int64{}}
}

func (t *tally) item(conformant bool) {
	t.items++
	if conformant {
		t.conformant++
	}
}

func (t *tally) drop() {
	t.items++
	t.dropped++
}

func (t *tally) change(rule naming.Rule, system *naming.System) { t.changes[count{rule, system}]++ }
func (t *tally) violation(rule naming.Rule, system *naming.System) {
	t.violations[count{rule, system}]++
}

// add counts a batch.
func (t *telemetry) add(ctx context.Context, batch *tally) {
	t.builder.NamingItems.Add(ctx, batch.items, t.signal)
	t.builder.NamingConformantItems.Add(ctx, batch.conformant, t.signal)
	t.builder.NamingDroppedItems.Add(ctx, batch.dropped, t.signal)
	for what, n := range batch.changes {
		t.builder.NamingChanges.Add(ctx, n, t.labels[what])
	}
	for what, n := range batch.violations {
		t.builder.NamingViolations.Add(ctx, n, t.labels[what])
	}
}
