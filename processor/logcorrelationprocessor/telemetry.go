// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-tc/otelcol-tc/internal/delivery"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor/internal/metadata"
)

// telemetry counts what the processor does. All label sets are made at the start.
type telemetry struct {
	builder *metadata.TelemetryBuilder
	sources [tracecontext.SourceCount]metric.MeasurementOption
	reasons [tracecontext.ReasonCount]metric.MeasurementOption
	whys    [delivery.ReasonCount]metric.MeasurementOption // of a release
}

func newTelemetry(set component.TelemetrySettings) (*telemetry, error) {
	builder, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, err
	}
	t := &telemetry{builder: builder}
	for source := range tracecontext.SourceCount {
		t.sources[source] = metric.WithAttributes(attribute.String("source", source.String()))
	}
	for reason := range tracecontext.ReasonCount {
		t.reasons[reason] = metric.WithAttributes(attribute.String("reason", reason.String()))
	}
	for why := range delivery.ReasonCount {
		t.whys[why] = metric.WithAttributes(attribute.String("reason", why.String()))
	}
	t.whys[delivery.Ready] = metric.WithAttributes(attribute.String("reason", "found"))
	return t, nil
}

// tally is what is added to the counters together.
type tally struct {
	enriched                                 [tracecontext.SourceCount]int64
	valid, unresolved, conflicts, duplicates int64

	// With an index.
	joined, ambiguous, resolved, failures int64
	released                              [delivery.ReasonCount]int64
}

// count adds a tally to the counters, and resets it.
func (t *telemetry) count(ctx context.Context, n *tally) {
	for source, n := range n.enriched {
		if n > 0 {
			t.builder.LogCorrelationEnriched.Add(ctx, n, t.sources[source])
		}
	}
	t.builder.LogCorrelationValid.Add(ctx, n.valid)
	t.builder.LogCorrelationUnresolved.Add(ctx, n.unresolved)
	t.builder.LogCorrelationConflicts.Add(ctx, n.conflicts)
	t.builder.LogCorrelationDuplicates.Add(ctx, n.duplicates)
	if n.joined|n.ambiguous|n.resolved|n.failures != 0 {
		t.builder.LogCorrelationWitnesses.Add(ctx, n.joined)
		t.builder.LogCorrelationAmbiguous.Add(ctx, n.ambiguous)
		t.builder.LogCorrelationResolved.Add(ctx, n.resolved)
		t.builder.LogCorrelationIndexFailures.Add(ctx, n.failures)
	}
	for why, n := range n.released {
		if n > 0 {
			t.builder.LogCorrelationReleased.Add(ctx, n, t.whys[why])
		}
	}
	*n = tally{}
}

// rejected counts the values of a batch that are not ids.
func (t *telemetry) rejected(ctx context.Context, attributes, body *tracecontext.Evidence) {
	for reason := range tracecontext.ReasonCount {
		if n := attributes.Rejected[reason] + body.Rejected[reason]; n > 0 {
			t.builder.LogCorrelationRejected.Add(ctx, n, t.reasons[reason])
		}
	}
	clear(attributes.Rejected[:])
	clear(body.Rejected[:])
}
