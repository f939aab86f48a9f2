// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/known"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/marks"
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
func (w *walk) merge(verdict *naming.Verdict, m pmetric.Metric, owner *naming.System) bool {
	kind := kindOf(m)
	if verdict.Target < 0 || !kind.Mergeable() {
		return false
	}
	first := w.merges.first(verdict.Target, m)
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
			marks.AddAll(first.Metadata(), value)
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

// rival is a gauge or a summary that claims the same name as others of its scope.
type rival struct {
	metric   pmetric.Metric
	decision *known.Metric
}

// compare compares a gauge or a summary with the earlier ones of the scope that get the same name. Two with
// points of the same attributes at overlapping times cannot be one metric: their values do not add up.
func (w *walk) compare(m pmetric.Metric, decision *known.Metric) {
	target, ok := decision.Rival()
	if !ok {
		return
	}
	for _, other := range w.rivals[target] {
		if other.metric.Name() != m.Name() && other.decision.Alike(decision) && w.overlap(other.metric, m, decision.System) {
			w.known.Apart(decision)
			break
		}
	}
	w.rivals[target] = append(w.rivals[target], rival{m, decision})
}

// overlap reports whether two metrics have points with equal attributes at overlapping times.
func (w *walk) overlap(a, b pmetric.Metric, owner *naming.System) bool {
	of, first, last := w.sets(a, owner)
	with, begin, end := w.sets(b, owner)
	if last < begin || end < first {
		return false
	}
	for set := range with {
		if of[set] {
			return true
		}
	}
	return false
}

// sets returns the attribute sets of a metric's points as they will be, and the times of the first and the
// last point.
func (w *walk) sets(m pmetric.Metric, owner *naming.System) (sets map[string]bool, first, last pcommon.Timestamp) {
	sets, first = map[string]bool{}, ^pcommon.Timestamp(0)
	for attrs, at := range datapoints.Attributes(m) {
		var pairs []string
		for key, value := range attrs.All() {
			if d := w.known.Attribute(owner, key); d != nil {
				key = d.Key
			}
			pairs = append(pairs, key+"\x00"+value.AsString())
		}
		slices.Sort(pairs)
		sets[strings.Join(pairs, "\x00")] = true
		first, last = min(first, at), max(last, at)
	}
	return sets, first, last
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
