// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/claims"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/decisions"
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
// it did. It merges only metrics of one known kind. Points with their original name go first, so that the
// cardinality processor knows the series of the others as one to be merged.
func (w *walk) merge(verdict *claims.Verdict, m pmetric.Metric, owner *naming.System) bool {
	kind := kindOf(m)
	if verdict.Target < 0 || !kind.Mergeable() {
		return false
	}
	first := w.batch.merges.first(verdict.Target, m)
	// Another batch may have changed the claims between the two decisions. The metrics then stay apart in
	// this batch.
	if first == m || kindOf(first) != kind || first.Unit() != m.Unit() {
		return false
	}
	if verdict.Shared {
		datapoints.Move(first, m)
	}
	datapoints.Move(m, first)
	// The longer description stays. If both are equally long, the smaller text stays, so the order in the
	// batch does not matter. The same holds for metadata with equal keys.
	if len(m.Description()) > len(first.Description()) ||
		len(m.Description()) == len(first.Description()) && m.Description() < first.Description() {
		first.SetDescription(m.Description())
	}
	for key, value := range m.Metadata().All() {
		if key == naming.CopiesKey {
			addDecidedCopies(first.Metadata(), value)
			continue
		}
		if kept, ok := first.Metadata().Get(key); !ok {
			value.CopyTo(first.Metadata().PutEmpty(key))
		} else if value.AsString() < kept.AsString() {
			value.CopyTo(kept)
		}
	}
	w.change(naming.MetricMerge, owner)
	return true
}

// compare compares a gauge or a summary with the earlier ones of the scope that get the same name. Their values do not
// add up, so several cannot be one metric.
func (w *walk) compare(decision *decisions.Metric) {
	target, ok := decision.Rival()
	if !ok {
		return
	}
	if slices.ContainsFunc(w.batch.rivals[target], decision.Rivals) {
		w.decisions.Apart(decision)
	}
	w.batch.rivals[target] = append(w.batch.rivals[target], decision)
}

// kindOf returns the kind of a metric. Metrics of different kinds cannot share a name.
func kindOf(m pmetric.Metric) claims.Kind {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return ofPoints(m.Gauge().DataPoints(), claims.KindGauge)
	case pmetric.MetricTypeSum:
		if m.Sum().IsMonotonic() {
			return ofPoints(m.Sum().DataPoints(), byTemporality(m.Sum().AggregationTemporality(),
				claims.KindCumulativeCounter, claims.KindDeltaCounter, claims.KindUnspecifiedCounter))
		}
		return ofPoints(m.Sum().DataPoints(), byTemporality(m.Sum().AggregationTemporality(),
			claims.KindCumulativeUpDown, claims.KindDeltaUpDown, claims.KindUnspecifiedUpDown))
	case pmetric.MetricTypeHistogram:
		return ofPoints(m.Histogram().DataPoints(), byTemporality(m.Histogram().AggregationTemporality(),
			claims.KindCumulativeHistogram, claims.KindDeltaHistogram, claims.KindUnspecifiedHistogram))
	case pmetric.MetricTypeExponentialHistogram:
		return ofPoints(m.ExponentialHistogram().DataPoints(), byTemporality(m.ExponentialHistogram().AggregationTemporality(),
			claims.KindCumulativeExponential, claims.KindDeltaExponential, claims.KindUnspecifiedExponential))
	case pmetric.MetricTypeSummary:
		return ofPoints(m.Summary().DataPoints(), claims.KindSummary)
	}
	return claims.KindNone
}

// ofPoints returns the kind, or the unknown kind for a metric without points.
func ofPoints[P interface{ Len() int }](points P, kind claims.Kind) claims.Kind {
	if points.Len() == 0 {
		return claims.KindNone
	}
	return kind
}

// byTemporality returns the kind for a temporality. A sender can put any number into that field.
func byTemporality(t pmetric.AggregationTemporality, cumulative, delta, unspecified claims.Kind) claims.Kind {
	switch t {
	case pmetric.AggregationTemporalityCumulative:
		return cumulative
	case pmetric.AggregationTemporalityDelta:
		return delta
	}
	return unspecified
}
