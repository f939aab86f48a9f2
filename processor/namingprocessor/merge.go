package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
)

// merges has the first metric of each target in one scope.
type merges map[int]pmetric.Metric

// first returns the first metric of a target in this scope; the given one, if it
// is the first.
func (m merges) first(target int, metric pmetric.Metric) pmetric.Metric {
	if first, ok := m[target]; ok {
		return first
	}
	m[target] = metric
	return metric
}

// merge moves the points of a metric to an earlier one of the same scope and
// target, and reports whether it did. Only metrics of one known kind are merged.
func (w *walk) merge(target int, m pmetric.Metric, owner *naming.System) bool {
	kind := kindOf(m)
	if target < 0 || !kind.Mergeable() {
		return false
	}
	first := w.merges.first(target, m)
	// Another batch may bring a better claim between the two: then this one batch
	// keeps them apart.
	if first == m || kindOf(first) != kind || first.Unit() != m.Unit() || !datapoints.Move(m, first) {
		return false
	}
	// The longer description says more; of equal ones, and of metadata under one
	// key, the first in order stays, whatever the order in the batch.
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
