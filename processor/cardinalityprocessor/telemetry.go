// SPDX-License-Identifier: Apache-2.0

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

// unchecked is the reason why the points of a metric are not checked.
type unchecked uint8

const (
	checked       unchecked = iota
	exemptMetric            // see exempt
	noTemporality           // unspecified or unknown, so that points cannot be merged
	untyped                 // the metric has no points
	uncheckedReasons
)

// tally counts the points of one batch, in addition to series.Batch.
type tally struct {
	points      int64
	unchecked   [uncheckedReasons]int64
	outOfBounds [aggregate.AllBounds]int64
}

// telemetry has the processor's metrics. No label has a value from the processed data.
type telemetry struct {
	*metadata.TelemetryBuilder
	folded    [series.Rules]metric.MeasurementOption
	dropped   [series.Reasons]metric.MeasurementOption
	unchecked [uncheckedReasons]metric.MeasurementOption
	untracked [series.Untrackeds]metric.MeasurementOption
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
	for u := range series.Untrackeds {
		t.untracked[u] = label("outcome", u.String())
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
	count(ctx, t.CardinalityUntrackedPoints, batch.Untracked[:], t.untracked[:])
	dropped := int(aggregate.FirstDropped)
	count(ctx, t.CardinalityRepairedPoints, w.outOfBounds[:dropped], t.bounds[:dropped])
	count(ctx, t.CardinalityDroppedPoints, w.outOfBounds[dropped:], t.bounds[dropped:])
}

// drop counts points that are dropped after their batch.
func (t *telemetry) drop(ctx context.Context, why series.Reason, points int) {
	if points > 0 {
		t.CardinalityDroppedPoints.Add(ctx, int64(points), t.dropped[why])
	}
}

// observe registers the callbacks that report the memory, series and streams.
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
