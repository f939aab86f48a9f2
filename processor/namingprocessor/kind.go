package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// kindOf returns the kind of a metric, as far as kinds cannot be mixed under one name.
func kindOf(m pmetric.Metric) naming.Kind {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return ofPoints(m.Gauge().DataPoints(), naming.KindGauge)
	case pmetric.MetricTypeSum:
		if m.Sum().IsMonotonic() {
			return ofPoints(m.Sum().DataPoints(), byTemporality(m.Sum().AggregationTemporality(),
				naming.KindCumulativeCounter, naming.KindDeltaCounter, naming.KindUnspecifiedCounter))
		}
		return ofPoints(m.Sum().DataPoints(), byTemporality(m.Sum().AggregationTemporality(),
			naming.KindCumulativeUpDown, naming.KindDeltaUpDown, naming.KindUnspecifiedUpDown))
	case pmetric.MetricTypeHistogram:
		return ofPoints(m.Histogram().DataPoints(), byTemporality(m.Histogram().AggregationTemporality(),
			naming.KindCumulativeHistogram, naming.KindDeltaHistogram, naming.KindUnspecifiedHistogram))
	case pmetric.MetricTypeExponentialHistogram:
		return ofPoints(m.ExponentialHistogram().DataPoints(), byTemporality(m.ExponentialHistogram().AggregationTemporality(),
			naming.KindCumulativeExponential, naming.KindDeltaExponential, naming.KindUnspecifiedExponential))
	case pmetric.MetricTypeSummary:
		return ofPoints(m.Summary().DataPoints(), naming.KindSummary)
	}
	return naming.KindNone
}

// ofPoints returns the kind, or none for a metric that has no points.
func ofPoints[P interface{ Len() int }](points P, kind naming.Kind) naming.Kind {
	if points.Len() == 0 {
		return naming.KindNone
	}
	return kind
}

// byTemporality returns the kind of a temporality. A sender can write any number there.
func byTemporality(t pmetric.AggregationTemporality, cumulative, delta, unspecified naming.Kind) naming.Kind {
	switch t {
	case pmetric.AggregationTemporalityCumulative:
		return cumulative
	case pmetric.AggregationTemporalityDelta:
		return delta
	}
	return unspecified
}
