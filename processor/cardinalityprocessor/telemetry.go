package cardinalityprocessor

import (
	"context"
	"errors"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// unchecked says why a metric's points are not looked at.
type unchecked uint8

const (
	checked       unchecked = iota
	exemptMetric            // information, or the collector's own
	noTemporality           // nobody can say what adding up would mean
	untyped                 // it has no points
	noMemory                // the metric is new and there is no memory for it
	uncheckedReasons
)

// tally is what one batch adds to the counters, besides what the series count.
type tally struct {
	points    int64
	unchecked [uncheckedReasons]int64
	// Points by what the bounds of exporters made of them.
	outOfBounds [aggregate.AllBounds]int64
}

// telemetry counts what the processor does. No label holds a value from telemetry.
type telemetry struct {
	*metadata.TelemetryBuilder
	folded    [series.Rules]metric.MeasurementOption
	dropped   [series.Reasons]metric.MeasurementOption
	unchecked [uncheckedReasons]metric.MeasurementOption
	bounds    [aggregate.AllBounds]metric.MeasurementOption
}

func newTelemetry(set component.TelemetrySettings) (*telemetry, error) {
	builder, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, err
	}
	t := &telemetry{TelemetryBuilder: builder}
	for r := range series.Rules {
		t.folded[r] = label("rule", r.String())
	}
	for r := range series.Reasons {
		t.dropped[r] = label("reason", r.String())
	}
	for b := range aggregate.Bounds(aggregate.AllBounds) {
		t.bounds[b] = label("reason", b.String())
	}
	t.unchecked[exemptMetric] = label("reason", "exempt")
	t.unchecked[noTemporality] = label("reason", "temporality")
	return t, nil
}

func label(key, value string) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(attribute.String(key, value)))
}

// add counts a batch.
func (t *telemetry) add(ctx context.Context, w *tally, batch *series.Batch) {
	t.CardinalityPoints.Add(ctx, w.points)
	if batch.Overflows > 0 {
		t.CardinalityIntegerOverflows.Add(ctx, batch.Overflows)
	}
	count(ctx, t.CardinalityFoldedPoints, batch.Folded[:], t.folded[:])
	count(ctx, t.CardinalityDroppedPoints, batch.Dropped[:], t.dropped[:])
	count(ctx, t.CardinalityUncheckedPoints, w.unchecked[:], t.unchecked[:])
	dropped := int(aggregate.FirstDropped)
	count(ctx, t.CardinalityRepairedPoints, w.outOfBounds[:dropped], t.bounds[:dropped])
	count(ctx, t.CardinalityDroppedPoints, w.outOfBounds[dropped:], t.bounds[dropped:])
}

// drop counts points that are dropped outside of a batch.
func (t *telemetry) drop(ctx context.Context, why series.Reason, points int) {
	if points > 0 {
		t.CardinalityDroppedPoints.Add(ctx, int64(points), t.dropped[why])
	}
}

// observe reports what the budgets hold whenever it is asked.
func (t *telemetry) observe(store *series.Store) error {
	report := func(value func() int64) metric.Int64Callback {
		return func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(value())
			return nil
		}
	}
	return errors.Join(
		t.RegisterCardinalityMemoryCallback(report(store.Memory.Used.Load)),
		t.RegisterCardinalitySeriesCallback(report(func() int64 { series, _ := store.Counts(); return series })),
		t.RegisterCardinalityStreamsCallback(report(func() int64 { _, streams := store.Counts(); return streams })))
}

func count(ctx context.Context, counter metric.Int64Counter, counts []int64, labels []metric.MeasurementOption) {
	for i, n := range counts {
		if n > 0 && labels[i] != nil {
			counter.Add(ctx, n, labels[i])
		}
	}
}
