package cardinalityprocessor

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
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
	point     *series.Point[T]      // the current one
	exemplars bool                  // a point has exemplars
}

// walkPoints processes the points of one metric. It reports whether it removed the last one.
func walkPoints[D kind.Point, T any, M series.Measurement[T]](w *walk, at path, known *batchMetric, of *kind.Kind[D, T, M], point *series.Point[T]) (emptied bool) {
	all := of.Points(at.metric)
	before := all.Len()
	w.tally.points += int64(before)
	switch {
	case known.unchecked == noMemory:
		w.batch.Dropped[series.DroppedMemory] += int64(before)
		all.RemoveIf(func(D) bool { return true })
		return before > 0
	case known.metric == nil:
		w.unchecked[known.unchecked] += int64(before)
		return false
	}
	if before == 0 {
		return w.first[known.metric] != at.metric // collect moved its points to that one
	}
	// Hashing is most of the work and needs no lock.
	w.points = slices.Grow(w.points[:0], before)[:before]
	for i := range w.points {
		w.points[i] = w.ids.Point(all.At(i).Attributes(), known.metric.Plan.Keys)
	}
	p := metricWalk[D, T, M]{walk: w, at: at, scope: known.scope, kind: of, all: all, point: point}
	if !p.observe(known) {
		return false
	}
	i := -1
	all.RemoveIf(func(D) bool {
		i++
		return w.outcomes[i] == series.Drop
	})
	return all.Len() == 0
}

// observe passes the points to the series and replaces those that are merged. It returns
// false if all points stay as they came.
func (p *metricWalk[D, T, M]) observe(known *batchMetric) (changed bool) {
	p.known = p.store.Lock(known.metric)
	defer p.known.Unlock()
	p.outcomes = p.outcomes[:0]
	for i := range p.points {
		outcome := series.Keep
		if id := &p.points[i]; !p.known.Keeps(&p.batch, id) {
			if p.streams == nil {
				p.streams = series.StreamsOf[T, M](p.known, known.temporality, p.at.metric.Type() == pmetric.MetricTypeGauge)
			}
			p.read(i)
			outcome = p.streams.Observe(&p.batch, p.point)
			changed = changed || outcome != series.Keep
		}
		p.outcomes = append(p.outcomes, outcome)
	}
	if changed {
		p.emit()
	}
	if p.streams != nil && p.streams.Done() {
		*p.point = series.Point[T]{}
	}
	return changed
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
