package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// kindOf is the kind of a metric, as far as kinds cannot be mixed under one name.
func kindOf(m pmetric.Metric) naming.Kind {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return naming.KindGauge
	case pmetric.MetricTypeSum:
		if m.Sum().IsMonotonic() {
			return byTemporality(m.Sum().AggregationTemporality(), naming.KindCumulativeCounter, naming.KindDeltaCounter)
		}
		return byTemporality(m.Sum().AggregationTemporality(), naming.KindCumulativeUpDown, naming.KindDeltaUpDown)
	case pmetric.MetricTypeHistogram:
		return byTemporality(m.Histogram().AggregationTemporality(), naming.KindCumulativeHistogram, naming.KindDeltaHistogram)
	case pmetric.MetricTypeExponentialHistogram:
		return byTemporality(m.ExponentialHistogram().AggregationTemporality(), naming.KindCumulativeExponential, naming.KindDeltaExponential)
	case pmetric.MetricTypeSummary:
		return naming.KindSummary
	}
	return naming.KindNone
}

func byTemporality(t pmetric.AggregationTemporality, cumulative, delta naming.Kind) naming.Kind {
	switch t {
	case pmetric.AggregationTemporalityCumulative:
		return cumulative
	case pmetric.AggregationTemporalityDelta:
		return delta
	}
	return naming.KindUnspecified
}
