// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/owners"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/pointtype"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// walkers process the points of each type of metric.
var walkers = [...]interface {
	// takeOwners takes the owners off the points of a metric, and adds what the points say to a list. Source is what
	// is counted of the metric, or nil.
	takeOwners(m *batchMetric, to *owned, source *owners.Source)
	// mergeSame removes points that repeat others now that they have no owners. It returns their number.
	mergeSame(m *batchMetric, seed uint64) (removed int)
	// identify computes the identities of a metric's points.
	identify(*walk, *batchMetric)
	// firstTimes returns the start and the time of the first point.
	firstTimes(pmetric.Metric) (start, time pcommon.Timestamp)
	// merge passes the points to the series and replaces those that are merged. It reports whether no
	// point is left.
	merge(*walk, *batchMetric) (emptied bool)
}{
	pmetric.MetricTypeGauge:                numberWalker{pointtype.Gauges, func(w *walk) *numberWalk { return &w.number }},
	pmetric.MetricTypeSum:                  numberWalker{pointtype.Sums, func(w *walk) *numberWalk { return &w.number }},
	pmetric.MetricTypeHistogram:            histogramWalker{pointtype.Histograms, func(w *walk) *histogramWalk { return &w.histogram }},
	pmetric.MetricTypeExponentialHistogram: exponentialWalker{pointtype.Exponentials, func(w *walk) *exponentialWalk { return &w.exponential }},
	pmetric.MetricTypeSummary:              summaryWalker{pointtype.Summaries, func(w *walk) *summaryWalk { return &w.summary }},
}

type (
	numberWalker      = walker[pmetric.NumberDataPointSlice, pmetric.NumberDataPoint, aggregate.Number, *aggregate.Number]
	histogramWalker   = walker[pmetric.HistogramDataPointSlice, pmetric.HistogramDataPoint, aggregate.Histogram, *aggregate.Histogram]
	exponentialWalker = walker[pmetric.ExponentialHistogramDataPointSlice, pmetric.ExponentialHistogramDataPoint, aggregate.Exponential, *aggregate.Exponential]
	summaryWalker     = walker[pmetric.SummaryDataPointSlice, pmetric.SummaryDataPoint, aggregate.Summary, *aggregate.Summary]

	numberWalk      = metricWalk[pmetric.NumberDataPointSlice, pmetric.NumberDataPoint, aggregate.Number, *aggregate.Number]
	histogramWalk   = metricWalk[pmetric.HistogramDataPointSlice, pmetric.HistogramDataPoint, aggregate.Histogram, *aggregate.Histogram]
	exponentialWalk = metricWalk[pmetric.ExponentialHistogramDataPointSlice, pmetric.ExponentialHistogramDataPoint, aggregate.Exponential, *aggregate.Exponential]
	summaryWalk     = metricWalk[pmetric.SummaryDataPointSlice, pmetric.SummaryDataPoint, aggregate.Summary, *aggregate.Summary]
)

// walker processes points of one kind.
type walker[S pointtype.Points[D], D pointtype.Point, T any, M series.Measurement[T]] struct {
	*pointtype.Kind[S, D, T, M]
	// of returns the walk's metricWalk, which is used again for each metric: a new one would be garbage.
	of func(*walk) *metricWalk[S, D, T, M]
}

// identify computes the identities of a metric's points. Hashing is most of the work and needs no
// lock. The metric is passed if all of its series are known and none has an output.
func (k walker[S, D, T, M]) identify(w *walk, m *batchMetric) {
	all := k.Points(m.metric)
	from, keys := len(w.points), m.stored.Plan().Keys
	w.points = slices.Grow(w.points, all.Len())
	for i := range all.Len() {
		w.points = append(w.points, w.ids.Point(all.At(i).Attributes(), keys))
	}
	m.points = w.points[from:]
	_, time := k.firstTimes(m.metric)
	m.passed, m.explored = m.stored.KeepsAll(&w.batch, time, m.points)
	if !m.passed {
		w.merges.Add(m.stored.Service().Lo)
		return
	}
	if len(m.explored) > 0 {
		m.stored.WithLock(func() {
			for _, i := range m.explored {
				dp := all.At(i)
				m.stored.Observed(&w.batch, m.stored.ID, &m.points[i], dp.Attributes(), func() (size, buckets int) { return k.Measure(dp) })
			}
		})
	}
	w.points = w.points[:from]
}

func (k walker[S, D, T, M]) firstTimes(m pmetric.Metric) (start, time pcommon.Timestamp) {
	if all := k.Points(m); all.Len() > 0 {
		return all.At(0).StartTimestamp(), all.At(0).Timestamp()
	}
	return 0, 0
}

func (k walker[S, D, T, M]) merge(w *walk, m *batchMetric) (emptied bool) {
	p := k.of(w)
	*p = metricWalk[S, D, T, M]{walk: w, batchMetric: m, kind: k.Kind, all: k.Points(m.metric), point: p.point}
	if !p.observe() || !slices.ContainsFunc(w.outcomes, leaves) {
		return false
	}
	i, moved := -1, w.moved
	p.all.RemoveIf(func(dp D) bool {
		i++
		if w.outcomes[i] == series.OfService {
			to := w.addOfService(moved[0])
			moved = moved[1:]
			k.Move(dp, k.Points(to).AppendEmpty())
			return true
		}
		return w.outcomes[i] == series.Drop
	})
	return p.all.Len() == 0
}

// leaves reports whether a point leaves its metric.
func leaves(o series.Outcome) bool { return o == series.OfService || o == series.Drop }

type metricWalk[S pointtype.Points[D], D pointtype.Point, T any, M series.Measurement[T]] struct {
	*walk
	*batchMetric
	kind      *pointtype.Kind[S, D, T, M]
	all       S
	locked    *series.Metric        // the stored metric
	streams   *series.Streams[T, M] // nil until they are needed
	point     series.Point[T]       // the current one
	exemplars bool                  // a point has exemplars
}

// observe passes the points to the series and replaces those that are merged. It returns
// false if all points stay as they came.
func (p *metricWalk[S, D, T, M]) observe() (changed bool) {
	p.locked = p.store.Lock(p.stored)
	defer p.store.Unlock(p.locked)
	ids := p.batchMetric.points
	if p.locked != p.stored && p.ofService == nil { // it may have the rules of a later policy
		keys := p.locked.Plan().Keys
		for i := range ids {
			ids[i] = p.ids.Point(p.all.At(i).Attributes(), keys)
		}
	}
	explores := p.locked.Explores(&p.batch, len(ids))
	p.outcomes = p.outcomes[:0]
	for i := range ids {
		outcome := series.Keep
		if !p.locked.Keeps(&p.batch, &ids[i]) {
			outcome = p.observePoint(i)
			changed = changed || outcome != series.Keep
		}
		p.outcomes = append(p.outcomes, outcome)
		if explores {
			p.explore(i, outcome)
		}
	}
	if changed {
		p.streams.Finish(&p.batch)
		p.emit()
	}
	if p.streams != nil && p.streams.Done(&p.batch) {
		p.point = series.Point[T]{}
	}
	if explores {
		p.countPoints()
	}
	return changed
}

// observePoint passes the point with an index to the series.
func (p *metricWalk[S, D, T, M]) observePoint(i int) series.Outcome {
	if p.streams == nil {
		p.streams = series.StreamsOf[T, M](p.locked, p.metric.Type(), p.temporality)
	}
	p.read(i)
	if p.ofService != nil {
		p.batch.At(p.ofService[i].look)
		p.point.Rule = p.ofService[i].why
	}
	outcome := p.streams.Observe(&p.batch, &p.point)
	if outcome == series.OfService {
		id := p.batchMetric.points[i]
		id.Stream = p.locked.StreamOfService(&id)
		p.walk.moved = append(p.walk.moved, servicePoint{id, p.point.Rule, p.batchMetric.look, p.stored.ID})
	}
	return outcome
}

// read reads the point with an index into p.point.
func (p *metricWalk[S, D, T, M]) read(i int) {
	dp := p.all.At(i)
	head := p.kind.Head(dp)
	p.exemplars = p.exemplars || head.Exemplars
	p.point.Index, p.point.ID, p.point.Attributes = i, p.batchMetric.points[i], dp.Attributes()
	p.point.Start, p.point.Time, p.point.Stale, p.point.Malformed = head.Start, head.Time, head.Stale, false
	if head.Stale {
		M(&p.point.Value).Reset()
		return
	}
	p.point.Malformed = !p.kind.Read(&p.point.Value, dp) ||
		p.streams.Temporality == series.Cumulative && p.kind.Negative != nil && p.kind.Negative(&p.point.Value)
}

// explore passes the point with an index to the explorer, if the explorer needs it.
func (p *metricWalk[S, D, T, M]) explore(i int, outcome series.Outcome) {
	needed := len(p.explored) > 0 && p.explored[0] == i
	if needed {
		p.explored = p.explored[1:]
	}
	if outcome == series.OfService || !needed && !p.locked.Needs(&p.batch) {
		return // the metric of the service explores it
	}
	owner := p.locked.ID
	if p.ofService != nil {
		owner = p.ofService[i].owner
	}
	dp := p.all.At(i)
	p.locked.Observed(&p.batch, owner, &p.batchMetric.points[i], dp.Attributes(), func() (size, buckets int) { return p.kind.Measure(dp) })
}

// countPoints counts what came and what is sent. The metric of the service counts the points that belong to it:
// this one may have no series, and is forgotten then.
func (p *metricWalk[S, D, T, M]) countPoints() {
	_, time := walkers[p.metric.Type()].firstTimes(p.metric)
	in, out := len(p.batchMetric.points), 0
	for _, outcome := range p.outcomes {
		switch outcome {
		case series.OfService:
			in--
		case series.Drop:
		default:
			out++
		}
	}
	p.locked.CountPoints(time, in, out)
}
