package conformanceconnector

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

// judgeMetrics checks the names and keys of metrics, and counts their series.
func (s *state) judgeMetrics(md pmetric.Metrics) {
	w := s.begin()
	defer s.end(w)
	for _, rm := range md.ResourceMetrics().All() {
		for i, sm := range rm.ScopeMetrics().All() {
			w.enter(rm.Resource().Attributes(), sm.Scope(), i == 0)
			for _, m := range sm.Metrics().All() {
				w.metric(m)
			}
			w.leave()
		}
	}
}

func (w *walk) metric(m pmetric.Metric) {
	recent := w.slot(m.Name())
	if !recent.is(report.KindMetric, w.scope, m.Name()) {
		recent = w.remember(recent, w.verdicts.Metric(w.scope, m.Name()), len(m.Name()))
	}
	v := recent.verdict
	recent.items++
	if original, ok := m.Metadata().Get(naming.OriginalNameKey); ok && v.Row == nil {
		w.renamed(recent, original, m.Name(), pcommon.TraceID{}, func(original string) naming.Decision {
			return w.verdicts.Namer.Metric(w.scope.Owner, original)
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
	if v.Series == nil {
		w.results.Refuse(report.LimitMetrics, int64(len(w.hashes)))
		return
	}
	v.Series.Add(w.hashes, w.now)
}

// judgePoints checks the keys of a metric's points, and collects the hashes of their attribute sets.
func judgePoints[S interface {
	Len() int
	At(i int) P
}, P interface{ Attributes() pcommon.Map }](w *walk, r *recentName, points S) {
	for i := range points.Len() {
		attrs := points.At(i).Attributes()
		w.keysOf(&r.recentItems, attrs, r.verdict.System)
		w.hashes = append(w.hashes, attrhash.Map(0, attrs).Lo)
	}
}
