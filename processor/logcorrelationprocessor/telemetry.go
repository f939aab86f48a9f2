package logcorrelationprocessor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor/internal/metadata"
)

// telemetry counts what the processor does. All label sets are made at the start.
type telemetry struct {
	builder *metadata.TelemetryBuilder
	sources [tracecontext.SourceCount]metric.MeasurementOption
	reasons [tracecontext.ReasonCount]metric.MeasurementOption
}

func newTelemetry(set component.TelemetrySettings) (*telemetry, error) {
	builder, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, err
	}
	t := &telemetry{builder: builder}
	for source := range tracecontext.SourceCount {
		t.sources[source] = label("source", source.String())
	}
	for reason := range tracecontext.ReasonCount {
		t.reasons[reason] = label("reason", reason.String())
	}
	return t, nil
}

func label(key, value string) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(attribute.String(key, value)))
}

// tally is what one batch adds to the counters, but for the values that were
// rejected.
type tally struct {
	enriched                                 [tracecontext.SourceCount]int64
	valid, unresolved, conflicts, duplicates int64
}

// add counts a batch and begins anew.
func (t *telemetry) add(ctx context.Context, w *walk) {
	for source, n := range w.enriched {
		if n > 0 {
			t.builder.LogCorrelationEnriched.Add(ctx, n, t.sources[source])
		}
	}
	for reason := range tracecontext.ReasonCount {
		if n := w.attributes.Rejected[reason] + w.body.Rejected[reason]; n > 0 {
			t.builder.LogCorrelationRejected.Add(ctx, n, t.reasons[reason])
		}
	}
	t.builder.LogCorrelationValid.Add(ctx, w.valid)
	t.builder.LogCorrelationUnresolved.Add(ctx, w.unresolved)
	t.builder.LogCorrelationConflicts.Add(ctx, w.conflicts)
	t.builder.LogCorrelationDuplicates.Add(ctx, w.duplicates)
	w.tally = tally{}
	clear(w.attributes.Rejected[:])
	clear(w.body.Rejected[:])
}
