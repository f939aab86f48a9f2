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
)

// walk processes one batch at a time. It is used again for other batches, which mostly have
// the same keys. It is not safe for concurrent use.
type walk struct {
	store  *series.Store
	plans  *plan.Planner
	window *window // nil: merged points are sent with their batch
	tally
	batch series.Batch
	ids   identity.Cache

	metrics []batchMetric                     // of the batch, in order
	first   map[*series.Metric]pmetric.Metric // the first of the batch with that identity

	// The points of the current metric.
	points   []identity.Point
	outcomes []series.Outcome

	// The current point, by the type of its value.
	number      series.Point[aggregate.Number]
	histogram   series.Point[aggregate.Histogram]
	exponential series.Point[aggregate.Exponential]
	summary     series.Point[aggregate.Summary]
}

// batchMetric is a metric of the batch.
type batchMetric struct {
	metric      *series.Metric // nil if its points are not checked
	scope       attrhash.Hash
	temporality series.Temporality
	unchecked   unchecked // why there is no metric
}

// path is a metric of the batch with its scope and resource.
type path struct {
	resource pmetric.ResourceMetrics
	scope    pmetric.ScopeMetrics
	metric   pmetric.Metric
}

// begin begins a batch.
func (w *walk) begin() {
	w.store.Begin(&w.batch)
	w.ids.Begin(w.store.Seed)
}

// end clears the walk for the next batch. It keeps memory, and the keys in ids.
func (w *walk) end() {
	w.tally = tally{}
	w.batch.End()
	w.ids.End()
	clear(w.metrics)
	w.metrics = w.metrics[:0]
	clear(w.first)
}

// process processes one batch.
func (w *walk) process(md pmetric.Metrics) {
	w.collect(md)
	i := 0
	removeMetrics(md, func(at path) bool {
		i++
		return w.processMetric(at, &w.metrics[i-1])
	})
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
		for _, sm := range rm.ScopeMetrics().All() {
			scope := identity.Scope(w.store.Seed, resource, sm.Scope())
			for _, m := range sm.Metrics().All() {
				known := batchMetric{scope: scope}
				var id attrhash.Hash
				id, known.temporality, known.unchecked = identify(scope, m)
				if known.unchecked == checked {
					known.metric, known.unchecked = w.storedMetric(id, rm.Resource().Attributes(), sm.Scope().Name(), m)
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

// storedMetric returns the stored metric with an identity. It creates the metric if there is memory.
func (w *walk) storedMetric(id attrhash.Hash, resource pcommon.Map, scope string, m pmetric.Metric) (*series.Metric, unchecked) {
	known, ok := w.store.Load(id)
	if !ok {
		text := func(key string) (string, bool) { return attributes.Text(resource, key) }
		original := ""
		if v, ok := m.Metadata().Get(naming.OriginalNameKey); ok {
			original = v.AsString()
		}
		rules := w.plans.Plan(text, scope, original, m.Name())
		name, _ := text("service.name")
		namespace, _ := text("service.namespace")
		if known = w.store.Add(id, rules, namespace, name); known == nil && !rules.Exempt {
			return nil, noMemory
		}
	}
	if known == nil || known.Plan.Exempt {
		return nil, exemptMetric
	}
	return known, checked
}

// processMetric processes the points of one metric. It reports whether to remove the metric, because
// no point is left.
func (w *walk) processMetric(at path, known *batchMetric) (remove bool) {
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
