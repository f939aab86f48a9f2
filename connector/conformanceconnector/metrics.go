package conformanceconnector

import (
	"iter"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// metrics judges the names and keys of metrics, and counts their series.
func (s *state) metrics(md pmetric.Metrics) {
	w := s.begin()
	defer w.end()
	for _, rm := range md.ResourceMetrics().All() {
		resource := rm.Resource().Attributes()
		for i, sm := range rm.ScopeMetrics().All() {
			w.enter(resource, sm.Scope())
			if i == 0 {
				w.keys(resource, w.owner(resource, ""))
			}
			for _, m := range sm.Metrics().All() {
				w.metric(m)
			}
			w.leave()
		}
	}
}

func (w *walk) metric(m pmetric.Metric) {
	v := w.metricVerdict(w.scope, m.Name())
	w.item(kindMetric, v.row == nil)
	if v.row != nil {
		w.found(v.row, pcommon.TraceID{})
	}
	v.of.came(w.now)
	for _, e := range v.expected {
		e.came(w.now)
	}
	if original, ok := m.Metadata().Get(naming.OriginalNameKey); ok {
		w.wasRenamed(kindMetric, v.system, original, m.Name(), pcommon.TraceID{})
	}
	points := pointAttributes(m)
	for attrs := range points {
		w.keys(attrs, v.system)
	}
	if v.series == nil {
		for range points {
			w.refuse(limitMetrics, 1)
		}
		return
	}
	v.series.add(points, w.now)
}

// pointAttributes are the attributes of a metric's points.
func pointAttributes(m pmetric.Metric) iter.Seq[pcommon.Map] {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return each(m.Gauge().DataPoints().All())
	case pmetric.MetricTypeSum:
		return each(m.Sum().DataPoints().All())
	case pmetric.MetricTypeHistogram:
		return each(m.Histogram().DataPoints().All())
	case pmetric.MetricTypeExponentialHistogram:
		return each(m.ExponentialHistogram().DataPoints().All())
	case pmetric.MetricTypeSummary:
		return each(m.Summary().DataPoints().All())
	}
	return func(func(pcommon.Map) bool) {}
}

func each[P interface{ Attributes() pcommon.Map }](points iter.Seq2[int, P]) iter.Seq[pcommon.Map] {
	return func(yield func(pcommon.Map) bool) {
		for _, p := range points {
			if !yield(p.Attributes()) {
				return
			}
		}
	}
}
