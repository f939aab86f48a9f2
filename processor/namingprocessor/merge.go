package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
)

// merges holds the first metric of each target in one scope.
type merges map[int]pmetric.Metric

// first returns the first metric of a target in this scope. It stores the given metric if there is none.
func (m merges) first(target int, metric pmetric.Metric) pmetric.Metric {
	if first, ok := m[target]; ok {
		return first
	}
	m[target] = metric
	return metric
}

// merge moves the points of a metric to an earlier one of the same scope and target, and reports whether
// it did. It merges only metrics of one known kind.
func (w *walk) merge(target int, m pmetric.Metric, owner *naming.System) bool {
	kind := kindOf(m)
	if target < 0 || !kind.Mergeable() {
		return false
	}
	first := w.merges.first(target, m)
	// Another batch may have changed the claims between the two decisions. The metrics then stay apart in
	// this batch.
	if first == m || kindOf(first) != kind || first.Unit() != m.Unit() || !datapoints.Move(m, first) {
		return false
	}
	// The longer description stays. If both are equally long, the smaller text stays, so the order in the
	// batch does not matter. The same holds for metadata with equal keys.
	if len(m.Description()) > len(first.Description()) ||
		len(m.Description()) == len(first.Description()) && m.Description() < first.Description() {
		first.SetDescription(m.Description())
	}
	for key, value := range m.Metadata().All() {
		if kept, ok := first.Metadata().Get(key); !ok {
			value.CopyTo(first.Metadata().PutEmpty(key))
		} else if value.AsString() < kept.AsString() {
			value.CopyTo(kept)
		}
	}
	w.change(naming.MetricMerge, owner)
	return true
}

// kindOf returns the kind of a metric. Metrics of different kinds cannot share a name.
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

// ofPoints returns the kind, or the unknown kind for a metric without points.
func ofPoints[P interface{ Len() int }](points P, kind naming.Kind) naming.Kind {
	if points.Len() == 0 {
		return naming.KindNone
	}
	return kind
}

// byTemporality returns the kind for a temporality. A sender can put any number into that field.
func byTemporality(t pmetric.AggregationTemporality, cumulative, delta, unspecified naming.Kind) naming.Kind {
	switch t {
	case pmetric.AggregationTemporalityCumulative:
		return cumulative
	case pmetric.AggregationTemporalityDelta:
		return delta
	}
	return unspecified
}
