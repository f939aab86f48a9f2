package cardinalityprocessor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/metadata"
)

// rule says what makes a stream come together with others.
type rule uint8

const (
	ruleAttribute      rule = iota // an attribute had to go
	ruleAttributeLimit             // an attribute's value is past the attribute's limit
	ruleLimit                      // its metric has no place for it
	ruleServiceLimit               // its service has none
	ruleMemory                     // there is no memory for it
	ruleOverflow                   // a sender's own overflow series
	rules
)

var ruleNames = [rules]string{"attribute", "attribute_limit", "limit", "service_limit", "memory", "overflow"}

// dropped says why a point is dropped.
type dropped uint8

const (
	dropLate         dropped = iota // not newer than its stream's last, or of another writer
	dropMalformed                   // contradicts itself, or has no time
	dropLimit                       // as of rules, where overflow is to be dropped
	dropServiceLimit                //
	dropMemory                      // or its stream cannot be remembered
	dropSummary                     // a summary that would have to be merged
	dropRefused                     // merged, and refused by the next component
	reasons
)

var reasonNames = [reasons]string{"late", "malformed", "limit", "service_limit", "memory", "summary", "refused"}

// dropped is why a point is dropped that a budget has no place for.
func (r rule) dropped() dropped {
	switch r {
	case ruleLimit:
		return dropLimit
	case ruleServiceLimit:
		return dropServiceLimit
	default:
		return dropMemory
	}
}

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

// tally is what one batch adds to the counters.
type tally struct {
	points    int64
	overflows int64
	folded    [rules]int64
	dropped   [reasons]int64
	unchecked [uncheckedReasons]int64
	// Points by what the bounds of exporters made of them.
	outOfBounds [aggregate.AllBounds]int64
}

func (t *tally) reset() { *t = tally{} }

func (t *tally) drop(reason dropped, points int) { t.dropped[reason] += int64(points) }

// telemetry counts what the processor does. No label holds a value from telemetry.
type telemetry struct {
	*metadata.TelemetryBuilder
	folded    [rules]metric.MeasurementOption
	dropped   [reasons]metric.MeasurementOption
	unchecked [uncheckedReasons]metric.MeasurementOption
	bounds    [aggregate.AllBounds]metric.MeasurementOption
}

func newTelemetry(set component.TelemetrySettings) (*telemetry, error) {
	builder, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, err
	}
	t := &telemetry{TelemetryBuilder: builder}
	for i, name := range ruleNames {
		t.folded[i] = label("rule", name)
	}
	for i, name := range reasonNames {
		t.dropped[i] = label("reason", name)
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
func (t *telemetry) add(ctx context.Context, batch *tally) {
	t.CardinalityPoints.Add(ctx, batch.points)
	if batch.overflows > 0 {
		t.CardinalityIntegerOverflows.Add(ctx, batch.overflows)
	}
	count(ctx, t.CardinalityFoldedPoints, batch.folded[:], t.folded[:])
	count(ctx, t.CardinalityDroppedPoints, batch.dropped[:], t.dropped[:])
	count(ctx, t.CardinalityUncheckedPoints, batch.unchecked[:], t.unchecked[:])
	dropped := int(aggregate.FirstDropped)
	count(ctx, t.CardinalityRepairedPoints, batch.outOfBounds[:dropped], t.bounds[:dropped])
	count(ctx, t.CardinalityDroppedPoints, batch.outOfBounds[dropped:], t.bounds[dropped:])
}

func count(ctx context.Context, counter metric.Int64Counter, counts []int64, labels []metric.MeasurementOption) {
	for i, n := range counts {
		if n > 0 && labels[i] != nil {
			counter.Add(ctx, n, labels[i])
		}
	}
}
