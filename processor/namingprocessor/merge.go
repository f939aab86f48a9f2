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

// kindOf returns the kind of a metric, or the unknown kind for one without points. Metrics of different kinds cannot
// share a name.
func kindOf(m pmetric.Metric) claims.Kind {
	if datapoints.Count(m) == 0 {
		return claims.KindNone
	}
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return claims.KindGauge
	case pmetric.MetricTypeSum:
		temporality := m.Sum().AggregationTemporality()
		if m.Sum().IsMonotonic() {
			return byTemporality(temporality, claims.KindCumulativeCounter, claims.KindDeltaCounter, claims.KindUnspecifiedCounter)
		}
		return byTemporality(temporality, claims.KindCumulativeUpDown, claims.KindDeltaUpDown, claims.KindUnspecifiedUpDown)
	case pmetric.MetricTypeHistogram:
		return byTemporality(m.Histogram().AggregationTemporality(),
			claims.KindCumulativeHistogram, claims.KindDeltaHistogram, claims.KindUnspecifiedHistogram)
	case pmetric.MetricTypeExponentialHistogram:
		return byTemporality(m.ExponentialHistogram().AggregationTemporality(),
			claims.KindCumulativeExponential, claims.KindDeltaExponential, claims.KindUnspecifiedExponential)
	default:
		return claims.KindSummary
	}
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
