package cardinalityprocessor

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
)

// walk is the state of one pass over one batch. It belongs to one goroutine, and
// then to the next batch, which mostly has the same keys.
type walk struct {
	*cardinalityProcessor
	tally

	now      time.Time
	epoch    uint32
	latest   pcommon.Timestamp // a point that is later is from no clock of today
	memos    []memo            // by the rules and the length of a map
	longKeys bool              // are in the memos

	metrics []batchMetric              // of the batch, in order
	first   map[*family]pmetric.Metric // of the batch, by family
	ids     []pointIdentity            // of one metric's points
	marks   []mark                     // of the same
	warmed  uint64                     // what was read only to have it at hand
	sent    []sentOutput               // the merged points that go out with it
}

// batchMetric is what is known of one metric of the batch.
type batchMetric struct {
	family      *family // nil where its points are not looked at
	scope       attrhash.Hash
	temporality temporality
	unchecked   unchecked // why there is no family
}

// do does one batch, after begin.
func (w *walk) do(md pmetric.Metrics) {
	w.collect(md)
	i := 0
	md.ResourceMetrics().RemoveIf(func(rm pmetric.ResourceMetrics) bool {
		before := rm.ScopeMetrics().Len()
		rm.ScopeMetrics().RemoveIf(func(sm pmetric.ScopeMetrics) bool {
			before := sm.Metrics().Len()
			sm.Metrics().RemoveIf(func(m pmetric.Metric) bool {
				i++
				return w.metric(site{rm, sm, m}, &w.metrics[i-1])
			})
			return emptied(before, sm.Metrics().Len())
		})
		return emptied(before, rm.ScopeMetrics().Len())
	})
}

// begin sets the time of the walk.
func (w *walk) begin() {
	w.now = time.Now()
	w.epoch = w.epochOf(w.now)
	w.latest = pcommon.NewTimestampFromTime(w.now.Add(maxAhead))
}

// emptied tells whether a container lost all it had. One that came empty stays.
func emptied(before, after int) bool { return before > 0 && after == 0 }

// end counts what the walk did, and leaves it to another batch with nothing of
// this one's but a few keys.
func (w *walk) end(ctx context.Context) {
	w.telemetry.add(ctx, &w.tally)
	w.reset()
	clear(w.metrics)
	w.metrics = w.metrics[:0]
	clear(w.first)
	clear(w.sent)
	w.sent = w.sent[:0]
	if !w.longKeys {
		w.walks.Put(w)
	}
}

// collect finds the families of a batch's metrics. The points of metrics that are
// one family are brought together, so that a batch makes one point of a series.
func (w *walk) collect(md pmetric.Metrics) {
	for _, rm := range md.ResourceMetrics().All() {
		container := attrhash.Hash{Lo: w.seed}.Plus(attrhash.Map(w.seed, rm.Resource().Attributes()))
		for _, sm := range rm.ScopeMetrics().All() {
			scope := identifyScope(w.seed, container, sm.Scope())
			for _, m := range sm.Metrics().All() {
				known := batchMetric{scope: scope}
				var id attrhash.Hash
				id, known.temporality, known.unchecked = identifyMetric(scope, m)
				if known.unchecked == checked {
					known.family, known.unchecked = w.family(id, rm.Resource().Attributes(), sm.Scope().Name(), m)
				}
				if f := known.family; f != nil {
					if before, ok := w.first[f]; !ok {
						w.first[f] = m
					} else {
						datapoints.Move(m, before)
					}
				}
				w.metrics = append(w.metrics, known)
			}
		}
	}
}

// identifyScope returns the identity of a scope of a resource.
func identifyScope(seed uint64, resource attrhash.Hash, scope pcommon.InstrumentationScope) attrhash.Hash {
	attrs := attrhash.Map(seed, scope.Attributes())
	return resource.Text(scope.Name()).Text(scope.Version()).Number(attrs.Lo).Number(attrs.Hi)
}

// identifyMetric returns the identity of a metric, and how its series come together.
func identifyMetric(scope attrhash.Hash, m pmetric.Metric) (attrhash.Hash, temporality, unchecked) {
	monotonic, how, stated := true, latest, pmetric.AggregationTemporalityCumulative
	switch m.Type() {
	case pmetric.MetricTypeEmpty:
		return attrhash.Hash{}, 0, untyped
	case pmetric.MetricTypeGauge:
		monotonic = false
	case pmetric.MetricTypeSum:
		monotonic, stated = m.Sum().IsMonotonic(), m.Sum().AggregationTemporality()
	case pmetric.MetricTypeHistogram:
		stated = m.Histogram().AggregationTemporality()
	case pmetric.MetricTypeExponentialHistogram:
		stated = m.ExponentialHistogram().AggregationTemporality()
	}
	switch {
	case stated == pmetric.AggregationTemporalityDelta:
		how = delta
	case stated != pmetric.AggregationTemporalityCumulative:
		return attrhash.Hash{}, 0, noTemporality // or a number that is none
	case monotonic:
		how = cumulative
	}
	return scope.Text(m.Name()).Text(m.Unit()).Number(uint64(m.Type())<<8 | uint64(stated)<<1 | bit(monotonic)), how, checked
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// family returns the family of an identity, which is new where there is memory for
// it.
func (w *walk) family(id attrhash.Hash, resource pcommon.Map, scope string, m pmetric.Metric) (*family, unchecked) {
	f, ok := w.families.Load(id)
	if !ok {
		text := func(key string) (string, bool) { return attributes.Text(resource, key) }
		original := ""
		if v, ok := m.Metadata().Get(naming.OriginalNameKey); ok {
			original = v.AsString()
		}
		plan := w.planner.plan(w.planner.namer.Owner(text, scope), original, m.Name())
		name, _ := text("service.name")
		namespace, _ := text("service.namespace")
		f = w.addFamily(id, plan, namespace, name)
		if f == nil && !plan.exempt {
			return nil, noMemory
		}
	}
	if f == nil || f.plan.exempt {
		return nil, exemptMetric
	}
	return f, checked
}

// metric does the points of one metric and tells whether it is to be removed,
// because none is left.
func (w *walk) metric(at site, known *batchMetric) (remove bool) {
	switch at.metric.Type() {
	case pmetric.MetricTypeGauge:
		return walkPoints(w, at, known, gauges)
	case pmetric.MetricTypeSum:
		return walkPoints(w, at, known, sums)
	case pmetric.MetricTypeHistogram:
		return walkPoints(w, at, known, histograms)
	case pmetric.MetricTypeExponentialHistogram:
		return walkPoints(w, at, known, exponentials)
	case pmetric.MetricTypeSummary:
		return walkPoints(w, at, known, summaries)
	default:
		return false
	}
}
