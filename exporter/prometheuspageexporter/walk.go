// SPDX-License-Identifier: Apache-2.0

package prometheuspageexporter

import (
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/otlptranslator"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	conventions "go.opentelemetry.io/otel/semconv/v1.40.0"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/labels"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/page"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/sample"
	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
)

// The labels that the page's formats define.
const (
	jobLabel      = "job"
	instanceLabel = "instance"
	boundaryLabel = "le"
	quantileLabel = "quantile"
	scopePrefix   = "otel_scope_"
)

// walk walks through one batch at a time, and puts each point into its series. Only the access
// to the page takes its lock.
type walk struct {
	page  *page.Page
	names *labels.Names
	set   *labels.Set

	now     time.Time
	arrival pcommon.Timestamp // the same time as now
	refused refusals
}

// walks reuses walks with their cached names.
type walks struct{ sync.Pool }

func newWalks(p *page.Page) *walks {
	hasher := labels.NewHasher()
	return &walks{sync.Pool{New: func() any {
		names := labels.NewNames()
		return &walk{page: p, names: names, set: labels.NewSet(names, hasher)}
	}}}
}

// batch shows a batch, and returns the points that were refused.
func (all *walks) batch(batch pmetric.Metrics, now time.Time) refusals {
	w := all.Get().(*walk)
	defer all.Put(w)
	w.now, w.arrival, w.refused = now, pcommon.NewTimestampFromTime(now), nil
	for _, rm := range batch.ResourceMetrics().All() {
		w.resource(rm)
	}
	return w.refused
}

func (w *walk) resource(rm pmetric.ResourceMetrics) {
	job, instance := identity(rm.Resource().Attributes())
	shown := false
	for _, sm := range rm.ScopeMetrics().All() {
		w.scope(sm, job, instance)
		for _, metric := range sm.Metrics().All() {
			shown = w.metric(metric) || shown
		}
	}
	if shown && job != "" && instance != "" {
		w.target(rm.Resource().Attributes(), job, instance)
	}
}

func identity(resource pcommon.Map) (job, instance string) {
	if name, ok := resource.Get(string(conventions.ServiceNameKey)); ok {
		job = name.AsString()
		if namespace, ok := resource.Get(string(conventions.ServiceNamespaceKey)); ok {
			job = namespace.AsString() + "/" + job
		}
	}
	if id, ok := resource.Get(string(conventions.ServiceInstanceIDKey)); ok {
		instance = id.AsString()
	}
	return job, instance
}

func (w *walk) addIdentity(job, instance string) {
	w.set.Reset()
	if job != "" {
		w.set.AddOwn(jobLabel, job)
	}
	if instance != "" {
		w.set.AddOwn(instanceLabel, instance)
	}
}

// scope sets the labels that all points of a scope share.
func (w *walk) scope(sm pmetric.ScopeMetrics, job, instance string) {
	w.addIdentity(job, instance)
	w.set.AddOwn(scopePrefix+"name", sm.Scope().Name())
	w.set.AddOwn(scopePrefix+"version", sm.Scope().Version())
	w.set.AddOwn(scopePrefix+"schema_url", sm.SchemaUrl())
	for key, value := range sm.Scope().Attributes().All() {
		w.set.Add(scopePrefix+key, value, "")
	}
	w.set.Share()
}

// target shows the attributes of a resource that are not a part of its identity.
func (w *walk) target(resource pcommon.Map, job, instance string) {
	w.addIdentity(job, instance)
	for key, value := range resource.All() {
		switch key {
		case string(conventions.ServiceNameKey), string(conventions.ServiceNamespaceKey), string(conventions.ServiceInstanceIDKey):
		default:
			w.set.Add(key, value, "")
		}
	}
	key := w.set.Seal()
	if why := w.page.Target(w.set.Identify(job, instance), key, w.set, w.now); why != sample.Shown {
		w.refused.add(why, page.TargetName, 1)
	}
}

// metric shows the points of a metric, and reports whether any point was shown.
func (w *walk) metric(metric pmetric.Metric) (shown bool) {
	kind, named := kindOf(metric)
	if scraped(metric) {
		named = otlptranslator.MetricTypeUnknown
	}
	if why := checkTemporality(metric); why != sample.Shown {
		w.refused.add(why, metric.Name(), datapoints.Count(metric))
		return false
	}
	name := w.names.Metric(otlptranslator.Metric{Name: metric.Name(), Unit: metric.Unit(), Type: named})
	m := &metricWalk{walk: w, name: metric.Name(), point: page.Point{
		Name: name, Help: metric.Description(), Kind: kind, Labels: w.set,
	}}
	switch metric.Type() {
	case pmetric.MetricTypeGauge:
		m.numbers(metric.Gauge().DataPoints(), nil)
	case pmetric.MetricTypeSum:
		m.sum(metric.Sum())
	case pmetric.MetricTypeHistogram:
		m.histograms(metric.Histogram())
	case pmetric.MetricTypeExponentialHistogram:
		m.exponentials(metric.ExponentialHistogram())
	case pmetric.MetricTypeSummary:
		m.summaries(metric.Summary())
	}
	return m.shown
}

// scraped reports whether a metric has the name that it had on a scraped page. Such a name is shown as it is:
// dashboards that read the page itself know a counter without _total by that name.
func scraped(metric pmetric.Metric) bool {
	if _, ok := metric.Metadata().Get(naming.ScrapedTypeKey); !ok || metric.Unit() != "" {
		return false
	}
	_, renamed := metric.Metadata().Get(naming.OriginalNameKey)
	return !renamed
}

// kindOf returns a metric's type in Prometheus, and the type that decides on its suffixes.
func kindOf(metric pmetric.Metric) (dto.MetricType, otlptranslator.MetricType) {
	switch metric.Type() {
	case pmetric.MetricTypeSum:
		if metric.Sum().IsMonotonic() {
			return dto.MetricType_COUNTER, otlptranslator.MetricTypeMonotonicCounter
		}
		return dto.MetricType_GAUGE, otlptranslator.MetricTypeNonMonotonicCounter
	case pmetric.MetricTypeHistogram:
		return dto.MetricType_HISTOGRAM, otlptranslator.MetricTypeHistogram
	case pmetric.MetricTypeExponentialHistogram:
		return dto.MetricType_HISTOGRAM, otlptranslator.MetricTypeExponentialHistogram
	case pmetric.MetricTypeSummary:
		return dto.MetricType_SUMMARY, otlptranslator.MetricTypeSummary
	default:
		return dto.MetricType_GAUGE, otlptranslator.MetricTypeGauge
	}
}

// checkTemporality refuses a temporality that no type of Prometheus can show.
func checkTemporality(metric pmetric.Metric) sample.Reason {
	temporality := pmetric.AggregationTemporalityCumulative
	switch metric.Type() {
	case pmetric.MetricTypeSum:
		temporality = metric.Sum().AggregationTemporality()
		if temporality == pmetric.AggregationTemporalityDelta && !metric.Sum().IsMonotonic() {
			return sample.Temporality
		}
	case pmetric.MetricTypeHistogram:
		temporality = metric.Histogram().AggregationTemporality()
	case pmetric.MetricTypeExponentialHistogram:
		temporality = metric.ExponentialHistogram().AggregationTemporality()
	}
	if temporality != pmetric.AggregationTemporalityCumulative && temporality != pmetric.AggregationTemporalityDelta {
		return sample.Temporality
	}
	return sample.Shown
}
