// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/kind"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/turns"
)

// walk processes one batch at a time. It is used again for other batches, which mostly have
// the same keys. It is not safe for concurrent use.
type walk struct {
	store *series.Store
	plans *plan.Planner
	tally
	batch series.Batch
	ids   identity.Cache

	resources []attrhash.Hash                   // of the batch, in order
	metrics   []batchMetric                     // of the batch, in order
	first     map[*series.Metric]pmetric.Metric // the first of the batch with that identity
	looks     map[attrhash.Hash]*series.Look    // by source; nil for one that another batch looks at
	lost      []attrhash.Hash                   // metrics that lost points before they were observed

	services services

	points []identity.Point // of the metrics that are not passed
	merges turns.Set        // the turns of their services, which may share outputs between processes

	// The points of the current metric.
	outcomes []series.Outcome
	rules    map[int]series.Rule // why points have the outcome OfService, by index

	// The current point, by the type of its value.
	number      series.Point[aggregate.Number]
	histogram   series.Point[aggregate.Histogram]
	exponential series.Point[aggregate.Exponential]
	summary     series.Point[aggregate.Summary]
}

// batchMetric is a metric of the batch.
type batchMetric struct {
	metric      *series.Metric // nil if its points are not checked
	passed      bool           // all of its points stay as they came
	points      []identity.Point
	scope       attrhash.Hash
	temporality series.Temporality
	unchecked   unchecked    // why there is no metric
	first       []int        // indexes of the points that the explorer needs, as KeepsAll returned them
	look        *series.Look // nil if the batch may lack streams of the sender
	// ofService is set for a metric of a service's overflow series.
	ofService *serviceMetric
}

// path is a metric of the batch with its scope and resource.
type path struct {
	resource pmetric.ResourceMetrics
	scope    pmetric.ScopeMetrics
	metric   pmetric.Metric
}

// begin begins a batch. If explore is true, it observes what the series cost.
func (w *walk) begin(explore bool) {
	w.store.Begin(&w.batch)
	if explore {
		w.store.Explore(&w.batch)
	}
	w.ids.Begin(w.store.Seed)
}

// end ends the batch. It clears the walk for the next one, but keeps memory, and the keys in
// ids.
func (w *walk) end() {
	for _, look := range w.looks {
		if look != nil {
			w.store.EndLook(&w.batch, look)
		}
	}
	clear(w.looks)
	w.services.clear()
	w.lost = w.lost[:0]
	w.tally = tally{}
	w.batch.End()
	w.ids.End()
	clear(w.metrics)
	w.resources, w.metrics, w.points, w.merges = w.resources[:0], w.metrics[:0], w.points[:0], turns.Set{}
	clear(w.first)
}

// identify identifies the metrics and the points of a batch. Afterwards, merges has the turns that
// the batch needs before merge may change any output.
func (w *walk) identify(md pmetric.Metrics) {
	w.collect(md)
	i := 0
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				w.identifyPoints(rm.Resource().Attributes(), m, &w.metrics[i])
				i++
			}
		}
	}
}

// identifyPoints identifies the points of one metric.
func (w *walk) identifyPoints(resource pcommon.Map, m pmetric.Metric, known *batchMetric) {
	switch {
	case known.metric == nil:
	case m.Type() == pmetric.MetricTypeGauge:
		identifyAll(w, resource, m.Gauge().DataPoints(), kind.Gauges.Size, known)
	case m.Type() == pmetric.MetricTypeSum:
		identifyAll(w, resource, m.Sum().DataPoints(), kind.Sums.Size, known)
	case m.Type() == pmetric.MetricTypeHistogram:
		identifyAll(w, resource, m.Histogram().DataPoints(), kind.Histograms.Size, known)
	case m.Type() == pmetric.MetricTypeExponentialHistogram:
		identifyAll(w, resource, m.ExponentialHistogram().DataPoints(), kind.Exponentials.Size, known)
	case m.Type() == pmetric.MetricTypeSummary:
		identifyAll(w, resource, m.Summary().DataPoints(), kind.Summaries.Size, known)
	}
}

// merge passes the points to the series and replaces those that are merged.
func (w *walk) merge(md pmetric.Metrics) {
	i := 0
	removeMetrics(md, func(at path) bool {
		i++
		return w.processMetric(at, &w.metrics[i-1])
	})
	w.processServices(md)
}

// removeMetrics removes metrics, and the containers that become empty by it.
func removeMetrics(md pmetric.Metrics, remove func(path) bool) {
	md.ResourceMetrics().RemoveIf(func(rm pmetric.ResourceMetrics) bool {
		before := rm.ScopeMetrics().Len()
		rm.ScopeMetrics().RemoveIf(func(sm pmetric.ScopeMetrics) bool {
			before := sm.Metrics().Len()
			sm.Metrics().RemoveIf(func(m pmetric.Metric) bool { return remove(path{rm, sm, m}) })
			return emptied(before, sm.Metrics().Len())
		})
		return emptied(before, rm.ScopeMetrics().Len())
	})
}

// emptied reports whether a container became empty.
func emptied(before, after int) bool { return before > 0 && after == 0 }

// collect finds the stored metrics of a batch. It moves the points of equal metrics into the
// first of them, so that an output gets one point for the whole batch.
func (w *walk) collect(md pmetric.Metrics) {
	for _, rm := range md.ResourceMetrics().All() {
		resource := identity.Resource(w.store.Seed, rm.Resource().Attributes())
		w.resources = append(w.resources, resource)
		for _, sm := range rm.ScopeMetrics().All() {
			scope := identity.Scope(w.store.Seed, resource, sm.Scope())
			for _, m := range sm.Metrics().All() {
				known := batchMetric{scope: scope}
				var id attrhash.Hash
				id, known.temporality, known.unchecked = identify(scope, m)
				if known.unchecked == checked && kind.Exempt(sm.Scope().Name(), m) {
					known.unchecked = exemptMetric
				}
				if known.unchecked == checked {
					known.metric = w.storedMetric(id, rm.Resource().Attributes(), sm.Scope().Name(), m)
				}
				if known.metric != nil {
					if before, ok := w.first[known.metric]; !ok {
						w.first[known.metric] = m
					} else {
						datapoints.Move(m, before)
					}
				}
				w.metrics = append(w.metrics, known)
			}
		}
	}
}

// identify returns the identity and the temporality of a metric.
func identify(scope attrhash.Hash, m pmetric.Metric) (attrhash.Hash, series.Temporality, unchecked) {
	monotonic, how, stated := uint64(1), series.Latest, pmetric.AggregationTemporalityCumulative
	switch m.Type() {
	case pmetric.MetricTypeEmpty:
		return attrhash.Hash{}, 0, untyped
	case pmetric.MetricTypeGauge:
		monotonic = 0
	case pmetric.MetricTypeSum:
		stated = m.Sum().AggregationTemporality()
		if !m.Sum().IsMonotonic() {
			monotonic = 0
		}
	case pmetric.MetricTypeHistogram:
		stated = m.Histogram().AggregationTemporality()
	case pmetric.MetricTypeExponentialHistogram:
		stated = m.ExponentialHistogram().AggregationTemporality()
	}
	switch {
	case stated == pmetric.AggregationTemporalityDelta:
		how = series.Delta
	case stated != pmetric.AggregationTemporalityCumulative:
		return attrhash.Hash{}, 0, noTemporality
	case monotonic == 1:
		how = series.Cumulative
	}
	return scope.Text(m.Name()).Text(m.Unit()).Number(uint64(m.Type())<<8 | uint64(stated)<<1 | monotonic), how, checked
}

// storedMetric returns the stored metric with an identity. It creates the metric if it is new.
func (w *walk) storedMetric(id attrhash.Hash, resource pcommon.Map, scope string, m pmetric.Metric) *series.Metric {
	known, ok := w.store.Load(id)
	if !ok {
		lookup := func(key string) (string, bool) { return attributes.Lookup(resource, key) }
		original := ""
		if v, ok := m.Metadata().Get(naming.OriginalNameKey); ok {
			original = v.AsString()
		} else if v, ok := m.Metadata().Get(naming.CopyOfKey); ok {
			original = v.AsString()
		}
		rules := w.plans.Plan(lookup, scope, original, m.Name())
		known = w.store.Add(id, rules, serviceOf(w.store.Seed, resource))
	}
	return known
}

// processMetric processes the points of one metric. It reports whether to remove the metric, because
// no point is left.
func (w *walk) processMetric(at path, known *batchMetric) (remove bool) {
	w.batch.At(known.look)
	w.services.at(at, known)
	switch at.metric.Type() {
	case pmetric.MetricTypeGauge:
		return walkPoints(w, at, known, kind.Gauges, &w.number)
	case pmetric.MetricTypeSum:
		return walkPoints(w, at, known, kind.Sums, &w.number)
	case pmetric.MetricTypeHistogram:
		return walkPoints(w, at, known, kind.Histograms, &w.histogram)
	case pmetric.MetricTypeExponentialHistogram:
		return walkPoints(w, at, known, kind.Exponentials, &w.exponential)
	case pmetric.MetricTypeSummary:
		return walkPoints(w, at, known, kind.Summaries, &w.summary)
	default:
		return false
	}
}
