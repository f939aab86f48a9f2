// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/owners"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// walk processes one batch at a time. It is used again for other batches, which mostly have
// the same keys. It is not safe for concurrent use.
type walk struct {
	store   *series.Store
	rules   *rules
	audited bool // the batch is a copy, and nothing of it is sent
	tally
	batch series.Batch
	ids   identity.Cache

	metrics []batchMetric                  // of the batch, in order
	first   map[*series.Metric]int         // the index of the first metric of the batch with that identity
	looks   map[attrhash.Hash]*series.Look // by source; nil for one that another batch looks at
	lost    []attrhash.Hash                // metrics that lost points before they were observed

	services services

	tracker    *owners.Tracker
	owned      []owned
	sentOwners owners.Sent

	page       *naming.System // the system that the current scope belongs to, if it is a scraped page
	pageSought bool           // page is known

	points []identity.Point // of the metrics that are not passed
	merges series.TurnSet   // the turns of their services, which may share outputs between processes

	current  *batchMetric     // the metric whose points are observed
	outcomes []series.Outcome // of its points
	moved    []servicePoint   // its points with the outcome OfService, in order

	// The walk of the current metric, by the type of its points.
	number      numberWalk
	histogram   histogramWalk
	exponential exponentialWalk
	summary     summaryWalk
}

// batchMetric is a metric of the batch, or one of the overflow series of a service.
type batchMetric struct {
	path
	resourceIndex int
	resourceID    attrhash.Hash
	stored        *series.Metric // nil if its points are not checked
	temporality   series.Temporality
	owned         bool // its points have lost their owners
	moved         bool // its points are those of an earlier metric now
	passed        bool // all of its points stay as they came
	removed       bool
	points        []identity.Point
	explored      []int          // indexes of the points that the explorer needs, as KeepsAll returned them
	look          *series.Look   // nil if the batch may lack streams of the sender
	ofService     []servicePoint // the points of a service's metric; nil for other metrics

	// overflow is the metric with the overflow series of the service. It may be nil after overflowKnown is set.
	overflow      *series.Metric
	overflowKnown bool
}

// path is a metric with its scope and resource.
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
	clear(w.owned)
	w.owned, w.sentOwners = w.owned[:0], nil
	w.tally = tally{}
	w.batch.End()
	w.ids.End()
	clear(w.metrics)
	clear(w.first)
	w.current = nil
	w.metrics, w.lost, w.points, w.merges = w.metrics[:0], w.lost[:0], w.points[:0], series.TurnSet{}
}

// identify identifies the metrics and the points of a batch. Afterwards, merges has the turns that
// the batch needs before merge may change any output.
func (w *walk) identify(md pmetric.Metrics) {
	for i, rm := range md.ResourceMetrics().All() {
		resource := identity.Resource(w.store.Seed, rm.Resource().Attributes())
		for _, sm := range rm.ScopeMetrics().All() {
			scope := identity.Scope(w.store.Seed, resource, sm.Scope())
			w.pageSought = false
			for _, m := range sm.Metrics().All() {
				w.add(batchMetric{path: path{rm, sm, m}, resourceIndex: i, resourceID: resource}, scope)
			}
		}
	}
	if len(w.owned) > 0 {
		w.countOwners(md)
	}
	for i := range w.metrics {
		if m := &w.metrics[i]; m.stored != nil && !m.moved {
			walkers[m.metric.Type()].identify(w, m)
		}
	}
}

// add adds a metric to the walk. It moves the points of equal metrics into the first of them,
// so that an output gets one point for the whole batch.
func (w *walk) add(m batchMetric, scope attrhash.Hash) {
	points := int64(datapoints.Count(m.metric))
	w.tally.points += points
	id, temporality, reason := identify(scope, m.metric)
	if reason == checked && exempt(m.scope.Scope().Name(), m.metric) {
		reason = exemptMetric
	}
	if reason == checked {
		m.stored, m.temporality = w.storedMetric(id, m.path), temporality
		if rule := m.stored.Plan().Owner; rule != nil {
			m.owned = true
			w.takeOwners(m, rule)
		}
		if before, ok := w.first[m.stored]; ok {
			m.moved = datapoints.Move(m.metric, w.metrics[before].metric)
		} else {
			w.first[m.stored] = len(w.metrics)
		}
	} else {
		w.unchecked[reason] += points
	}
	w.metrics = append(w.metrics, m)
}

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

// storedMetric returns the stored metric with an identity. It creates the metric if it is new, and gives it the rules
// of the batch's policy if it has others.
func (w *walk) storedMetric(id attrhash.Hash, m path) *series.Metric {
	stored, current := w.store.Load(id, w.rules.plans.Generation)
	if current {
		return stored
	}
	resource := m.resource.Resource().Attributes()
	lookup := func(key string) (string, bool) { return attributes.Lookup(resource, key) }
	original := ""
	if v, ok := m.metric.Metadata().Get(naming.OriginalNameKey); ok {
		original = v.AsString()
	} else if v, ok := m.metric.Metadata().Get(naming.CopyOfKey); ok {
		original = v.AsString()
	}
	by := series.Planned{
		Plan:    w.rules.plans.Plan(lookup, m.scope.Scope().Name(), original, m.metric.Name(), func() *naming.System { return w.pageOwner(m.scope) }),
		Audited: w.audited,
	}
	if stored != nil {
		return w.store.Replan(stored, by, w.batch.Now)
	}
	return w.store.Add(id, by, serviceOf(w.store.Seed, resource))
}

// pageOwner returns the system that a scraped page belongs to as a whole, or nil. It looks once for each scope of the
// batch that has a new metric.
func (w *walk) pageOwner(page pmetric.ScopeMetrics) *naming.System {
	if !w.pageSought {
		w.pageSought = true
		w.page = w.rules.plans.PageOwner(func(yield func(string) bool) {
			for _, m := range page.Metrics().All() {
				if !yield(m.Name()) {
					return
				}
			}
		})
	}
	return w.page
}

// merge passes the points to the series and replaces those that are merged.
func (w *walk) merge(md pmetric.Metrics) {
	removed := false
	for i := range w.metrics {
		m := &w.metrics[i]
		switch {
		case m.stored == nil:
		case m.moved:
			m.removed = true
		case len(m.points) == 0:
			w.store.Unlock(w.store.Lock(m.stored)) // removes the metric if it is new
		case !m.passed:
			m.removed = w.mergeMetric(m)
		}
		m.dropBuckets()
		removed = removed || m.removed
	}
	if removed {
		i := -1
		removeMetrics(md, func(path) bool { i++; return w.metrics[i].removed })
	}
	w.mergeServices(md)
}

// mergeMetric passes the points of one metric to its series. It reports whether no point is left.
func (w *walk) mergeMetric(m *batchMetric) (emptied bool) {
	w.batch.At(m.look)
	w.current, w.moved = m, w.moved[:0]
	return walkers[m.metric.Type()].merge(w, m)
}

// dropBuckets leaves histograms one bucket, which has their count, if the plan says so: some backends refuse histograms
// without any. Series keep the buckets, so merging and the detection of resets do not depend on it.
func (m *batchMetric) dropBuckets() {
	if m.stored == nil || m.moved || m.removed || m.metric.Type() != pmetric.MetricTypeHistogram || !m.stored.Plan().DropBuckets {
		return
	}
	for _, dp := range m.metric.Histogram().DataPoints().All() {
		if dp.BucketCounts().Len() > 1 {
			dp.ExplicitBounds().FromRaw(nil)
			dp.BucketCounts().FromRaw([]uint64{dp.Count()})
		}
	}
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
