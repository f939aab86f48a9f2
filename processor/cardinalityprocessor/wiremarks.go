package cardinalityprocessor

import (
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/aggregate"
)

// numbers does the points of a metric of numbers, but for those that were folded on the
// wire: they go out as they are.
func (w *walk) numbers(at site, known *batchMetric, kind *kind[pmetric.NumberDataPoint, aggregate.Number, *aggregate.Number], points pmetric.NumberDataPointSlice) (emptied bool) {
	f := known.family
	if w.wire == nil || f == nil {
		return walkPoints(w, at, known, kind)
	}
	if w.onWire != nil {
		w.onWire.try(w, f, points)
	}
	mark, marked := markOf(f.id), 0
	for _, dp := range points.All() {
		switch flags := uint32(dp.Flags()); {
		case flags&wireMark == 0:
		case flags&^1 == mark:
			marked++
		case w.onWire != nil && w.onWire.sent.outputs != nil:
			w.strays = true
		}
	}
	if marked == 0 {
		return walkPoints(w, at, known, kind)
	}
	folded := pmetric.NewNumberDataPointSlice()
	points.RemoveIf(func(dp pmetric.NumberDataPoint) bool {
		flags := uint32(dp.Flags())
		if flags&^1 != mark {
			return false
		}
		dp.SetFlags(pmetric.DataPointFlags(flags & 1))
		if marked == points.Len() {
			return false // there is nothing else
		}
		dp.MoveTo(folded.AppendEmpty())
		return true
	})
	if folded.Len() == 0 {
		return false
	}
	walkPoints(w, at, known, kind)
	folded.MoveAndAppendTo(points)
	return false
}
