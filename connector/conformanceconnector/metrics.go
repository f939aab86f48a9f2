// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"context"
	"iter"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
)

// judgeMetrics checks the names and keys of metrics.
func (s *state) judgeMetrics(ctx context.Context, md pmetric.Metrics) {
	w := s.begin(ctx)
	defer s.end(w)
	for _, rm := range md.ResourceMetrics().All() {
		for i, sm := range rm.ScopeMetrics().All() {
			w.enter(rm.Resource().Attributes(), sm.Scope(), i == 0)
			if !w.scope.Owner.Owned() && naming.Page(w.scope.Scope) {
				w.scope = w.verdicts.Page(w.scope, attributes.Text(w.resource, instanceKey), originals(sm.Metrics()), w.now)
				w.scope.Pack.Seen(w.now)
			}
			for _, m := range sm.Metrics().All() {
				w.metric(m)
			}
			w.leave()
		}
	}
}

// originals returns the names that metrics came with.
func originals(metrics pmetric.MetricSlice) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, m := range metrics.All() {
			name := m.Name()
			if original, ok := m.Metadata().Get(naming.OriginalNameKey); ok {
				name = original.Str()
			}
			if !yield(name) {
				return
			}
		}
	}
}

func (w *walk) metric(m pmetric.Metric) {
	_, copied := m.Metadata().Get(naming.CopyOfKey)
	if !w.name.is(report.KindMetric, w.scope, m.Name()) || w.name.verdict.Copy != copied {
		w.begin(w.verdicts.Metric(w.scope, m.Name(), copied))
	}
	v := w.name.verdict
	if !v.OfScrape {
		w.name.items++
	}
	if m.Name() == upName && m.Type() == pmetric.MetricTypeGauge {
		w.scraped(m.Gauge().DataPoints())
	}
	if original, ok := m.Metadata().Get(naming.OriginalNameKey); ok && v.Row == nil {
		w.renamed(original, pcommon.TraceID{}, func(original string) naming.Decision {
			return w.verdicts.Namer.Metric(w.scope.Owner, original)
		})
	}
	if v.Metric == nil {
		w.results.Refuse(report.LimitMetrics, 1)
	} else {
		v.Metric.Seen(report.Instrument{Type: typeOf(m), Unit: m.Unit()}, w.now)
	}
	if copied {
		return // naming chose the keys of copies
	}
	for attrs := range datapoints.Attributes(m) {
		w.judgeKeys(attrs, v.System)
	}
}

// upName is the metric of the Prometheus receiver that is 1 if a scrape succeeded, and 0 if it failed.
const upName = "up"

// scraped records whether scrapes of a target succeeded. Telemetry without an instance is of no scrape.
func (w *walk) scraped(points pmetric.NumberDataPointSlice) {
	job, instance := w.scope.Service, attributes.Text(w.resource, instanceKey)
	if instance == "" {
		return
	}
	for _, point := range points.All() {
		if point.Flags().NoRecordedValue() { // the target was removed, or the receiver stops
			w.results.Unscraped(job, instance)
			continue
		}
		up := point.IntValue() != 0 || point.DoubleValue() != 0 // one of them is zero
		w.results.Scraped(job, instance, up, w.now)
	}
}

// typeOf returns the report's name of a metric's type, or empty for a metric without points.
func typeOf(m pmetric.Metric) string {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return conformance.TypeGauge
	case pmetric.MetricTypeSum:
		if m.Sum().IsMonotonic() {
			return conformance.TypeCounter
		}
		return conformance.TypeUpDownCounter
	case pmetric.MetricTypeHistogram:
		return conformance.TypeHistogram
	case pmetric.MetricTypeExponentialHistogram:
		return conformance.TypeExponentialHistogram
	case pmetric.MetricTypeSummary:
		return conformance.TypeSummary
	}
	return ""
}
