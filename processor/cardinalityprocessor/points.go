// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/kind"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// metricWalk processes the points of one metric.
type metricWalk[D kind.Point, T any, M series.Measurement[T]] struct {
	*walk
	at        path
	scope     attrhash.Hash
	kind      *kind.Kind[D, T, M]
	all       kind.Points[D]
	known     *series.Metric        // locked
	streams   *series.Streams[T, M] // nil until they are needed
	points    []identity.Point
	point     *series.Point[T] // the current one
	exemplars bool             // a point has exemplars
}

// walkPoints processes the points of one metric. It reports whether it removed the last one.
func walkPoints[D kind.Point, T any, M series.Measurement[T]](w *walk, at path, known *batchMetric, of *kind.Kind[D, T, M], point *series.Point[T]) (emptied bool) {
	all := of.Points(at.metric)
	before := all.Len()
	if known.ofService == nil {
		w.tally.points += int64(before)
	}
	if known.metric == nil {
		w.unchecked[known.unchecked] += int64(before)
		return false
	}
	if before == 0 {
		if w.first[known.metric] != at.metric {
			return true // collect moved its points to that one
		}
		w.store.Lock(known.metric).Unlock() // removes the metric if it is new
		return false
	}
	if known.passed {
		return false
	}
	points := known.points
	if service := known.ofService; service != nil {
		points = w.points[:0] // no other metric needs them now
		for i := range service.points {
			points = append(points, service.points[i].id)
		}
	}
	p := metricWalk[D, T, M]{walk: w, at: at, scope: known.scope, kind: of, all: all, points: points, point: point}
	if !p.observe(known) {
		return false
	}
	i := -1
	all.RemoveIf(func(dp D) bool {
		i++
		if w.outcomes[i] == series.OfService {
			to := w.addOfService(servicePoint{points[i], w.rules[i], known.look, known.metric.ID})
			of.Move(dp, of.Points(to).AppendEmpty())
			return true
		}
		return w.outcomes[i] == series.Drop
	})
	clear(w.rules)
	return all.Len() == 0
}

// identifyAll computes the identities of a metric's points. Hashing is most of the work and needs no
// lock. The metric is passed if all of its series are known and none has an output.
func identifyAll[D kind.Point, P interface {
	Len() int
	At(int) D
}](w *walk, resource pcommon.Map, all P, size func(D) int, known *batchMetric) {
	from := len(w.points)
	w.points = slices.Grow(w.points, all.Len())
	for i := range all.Len() {
		w.points = append(w.points, w.ids.Point(all.At(i).Attributes(), known.metric.Plan.Keys))
	}
	known.points = w.points[from:]
	known.passed, known.first = known.metric.KeepsAll(&w.batch, known.points)
	if !known.passed {
		w.merges.Add(known.metric.Service().Lo)
		return
	}
	if len(known.first) > 0 {
		known.metric.WithLock(func() {
			for _, i := range known.first {
				dp := all.At(i)
				known.metric.Observed(&w.batch, known.metric.ID, &known.points[i], resource, dp.Attributes(), func() int { return size(dp) })
			}
		})
	}
	w.points = w.points[:from]
}

// observe passes the points to the series and replaces those that are merged. It returns
// false if all points stay as they came.
func (p *metricWalk[D, T, M]) observe(known *batchMetric) (changed bool) {
	p.known = p.store.Lock(known.metric)
	defer p.known.Unlock()
	explores := p.known.Explores(&p.batch, len(p.points))
	p.outcomes = p.outcomes[:0]
	for i := range p.points {
		outcome := series.Keep
		if id := &p.points[i]; !p.known.Keeps(&p.batch, id) {
			if p.streams == nil {
				p.streams = series.StreamsOf[T, M](p.known, p.at.metric.Type(), known.temporality)
			}
			p.read(i)
			if of := known.ofService; of != nil {
				p.batch.At(of.points[i].look)
				p.point.Rule = of.points[i].why
			}
			outcome = p.streams.Observe(&p.batch, p.point)
			if outcome == series.OfService {
				if p.rules == nil {
					p.rules = map[int]series.Rule{}
				}
				p.rules[i] = p.point.Rule
				p.points[i].Stream = p.known.StreamOfService(id)
			}
			changed = changed || outcome != series.Keep
		}
		p.outcomes = append(p.outcomes, outcome)
		if explores {
			p.explore(i, known, outcome)
		}
	}
	if changed {
		p.streams.Finish(&p.batch)
		p.emit()
	}
	if p.streams != nil && p.streams.Done(&p.batch) {
		*p.point = series.Point[T]{}
	}
	if explores {
		p.countPoints()
	}
	return changed
}

// explore passes the point with an index to the explorer, if the explorer needs it.
func (p *metricWalk[D, T, M]) explore(i int, known *batchMetric, outcome series.Outcome) {
	needed := len(known.first) > 0 && known.first[0] == i
	if needed {
		known.first = known.first[1:]
	}
	if outcome == series.OfService || !needed && !p.known.Needs(&p.batch) {
		return // the metric of the service explores it
	}
	of := p.known.ID
	if known.ofService != nil {
		of = known.ofService.points[i].of
	}
	dp := p.all.At(i)
	p.known.Observed(&p.batch, of, &p.points[i], p.at.resource.Resource().Attributes(), dp.Attributes(), func() int { return p.kind.Size(dp) })
}

// countPoints counts what came and what is sent. The metric of the service counts the points that belong to it:
// this one may have no series, and is forgotten then.
func (p *metricWalk[D, T, M]) countPoints() {
	in, out := len(p.points), 0
	for _, outcome := range p.outcomes {
		switch outcome {
		case series.OfService:
			in--
		case series.Drop:
		default:
			out++
		}
	}
	p.known.CountPoints(in, out)
}

// read reads the point with an index into p.point.
func (p *metricWalk[D, T, M]) read(i int) {
	dp := p.all.At(i)
	head := p.kind.Head(dp)
	p.exemplars = p.exemplars || head.Exemplars
	p.point.Index, p.point.ID, p.point.Attributes = i, p.points[i], dp.Attributes()
	p.point.Start, p.point.Time, p.point.Stale, p.point.Malformed = head.Start, head.Time, head.Stale, false
	if head.Stale {
		M(&p.point.Value).Reset()
		return
	}
	p.point.Malformed = !p.kind.Read(&p.point.Value, dp) ||
		p.streams.Temporality == series.Cumulative && p.kind.Negative != nil && p.kind.Negative(&p.point.Value)
}
