package conformanceconnector

import (
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
	recent := w.metricName(m.Name())
	v := recent.verdict
	recent.items++
	original, ok := m.Metadata().Get(naming.OriginalNameKey)
	if ok && v.row == nil && !recent.wasRenamed(original, pcommon.TraceID{}) {
		w.wasRenamed(&recent.recentItems, kindMetric, original, m.Name(), pcommon.TraceID{}, func(original string) naming.Decision {
			return w.namer.Metric(w.scope.Owner, original)
		})
	}
	w.hashes = w.hashes[:0]
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		judgePoints(w, recent, m.Gauge().DataPoints())
	case pmetric.MetricTypeSum:
		judgePoints(w, recent, m.Sum().DataPoints())
	case pmetric.MetricTypeHistogram:
		judgePoints(w, recent, m.Histogram().DataPoints())
	case pmetric.MetricTypeExponentialHistogram:
		judgePoints(w, recent, m.ExponentialHistogram().DataPoints())
	case pmetric.MetricTypeSummary:
		judgePoints(w, recent, m.Summary().DataPoints())
	}
	if v.series == nil {
		w.refuse(limitMetrics, int64(len(w.hashes)))
		return
	}
	v.series.add(w.hashes, w.now)
}

// metricName decides a metric's name.
func (w *walk) metricName(name string) *recentMetric {
	slot := recentSlot(name) % recentNames
	recent := &w.metrics[slot]
	w.metricsSeen |= 1 << slot
	if v := recent.verdict; v != nil && v.scope == w.scope && v.name == name {
		return recent
	}
	v := w.metricVerdict(w.scope, name)
	if len(name) > maxCachedName {
		recent = &w.longMetric
	}
	w.addUpMetric(recent)
	*recent = recentMetric{verdict: v, recentItems: recentItems{keys: recent.keys[:0]}}
	return recent
}

// judgePoints judges the keys of a metric's points, and takes the points' hashes.
func judgePoints[S interface {
	Len() int
	At(i int) P
}, P interface{ Attributes() pcommon.Map }](w *walk, r *recentMetric, points S) {
	for i := range points.Len() {
		attrs := points.At(i).Attributes()
		w.keysOf(&r.recentItems, attrs, r.verdict.system)
		w.hashes = append(w.hashes, hashAttributes(attrs))
	}
}
