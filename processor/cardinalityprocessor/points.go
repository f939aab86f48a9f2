package cardinalityprocessor

import (
	"unsafe"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// point is what data points of all kinds have.
type point interface {
	Attributes() pcommon.Map
	StartTimestamp() pcommon.Timestamp
	SetStartTimestamp(pcommon.Timestamp)
	Timestamp() pcommon.Timestamp
	SetTimestamp(pcommon.Timestamp)
	Flags() pmetric.DataPointFlags
	SetFlags(pmetric.DataPointFlags)
}

// points is the points of a metric of any kind.
type points[D point] interface {
	Len() int
	At(int) D
	RemoveIf(func(D) bool)
	AppendEmpty() D
}

// readable is a measurement that is read from and written to points.
type readable[D point, T any] interface {
	measurement[T]
	Read(D) bool
	Write(D)
}

// site is where a metric stands.
type site struct {
	resource pmetric.ResourceMetrics
	scope    pmetric.ScopeMetrics
	metric   pmetric.Metric
}

// mark says what becomes of a point.
type mark uint32

const (
	markKeep   mark = iota // it goes out as it came
	markRemove             // it is dropped
	markMerged             // and above: it belongs to the output of that number

	// Besides, it cannot be merged, and goes out only where nothing was.
	markLate      mark = 1 << 31
	markMalformed mark = 1 << 30
	markUnmerged       = markLate | markMalformed
)

// output is the number of the output that the point belongs to, if it does.
func (m mark) output() (index uint32, ok bool) {
	m &^= markUnmerged
	return uint32(m - markMerged), m >= markMerged
}

// pass is what the points of one metric are done with. The family is locked.
type pass[D point, T any, M readable[D, T]] struct {
	w     *walk
	at    site
	scope identity
	f     *family
	t     *tracker[T, M] // nil until it is needed
	kind  *kind[D, T, M]
	all   points[D]
}

// walkPoints does the points of one metric and tells whether none is left of them.
func walkPoints[D point, T any, M readable[D, T]](w *walk, at site, known *batchMetric, kind *kind[D, T, M]) (emptied bool) {
	all := kind.points(at.metric)
	before := all.Len()
	w.points += int64(before)
	f := known.family
	switch {
	case known.unchecked == noMemory:
		w.drop(dropMemory, before)
		all.RemoveIf(func(D) bool { return true })
		return before > 0
	case f == nil:
		w.unchecked[known.unchecked] += int64(before)
		return false
	}
	if before == 0 {
		return w.first[f] != at.metric // its points are there
	}
	f = w.lock(f)
	defer f.mu.Unlock()
	t, _ := f.tracked.(*tracker[T, M])
	rules := f.plan.keys
	mayDrop := rules.any()
	w.marks = w.marks[:0]
	p := pass[D, T, M]{w: w, at: at, scope: known.scope, f: f, t: t, kind: kind, all: all}
	untouched := true
	for i := range before {
		dp := all.At(i)
		id := w.identifyPoint(dp.Attributes(), rules)
		what := markKeep
		var series *entry
		if !mayDrop && !id.limited {
			series = f.series.get(id.series.lo)
		}
		if series != nil && series.ref == 0 {
			series.seen = w.epoch
		} else {
			if p.t == nil {
				p.t = newTracker(kind, at.metric.Type(), known.temporality, f.plan.gauge)
				f.tracked = p.t
			}
			what = p.route(dp, i, &id)
			untouched = untouched && what == markKeep
		}
		w.marks = append(w.marks, what)
	}
	if untouched {
		return false
	}
	p.emit()
	return all.Len() == 0
}

// streamBytes is what a stream takes, with the room that its table grows by. Of a
// delta's last point nothing is remembered but its time.
func streamBytes[T any, M measurement[T]](t *tracker[T, M], value *T) int {
	var s stream[T]
	bytes := int(unsafe.Sizeof(s))*5/4 + seriesBytes
	if t.temporality != delta {
		bytes += M(value).Bytes()
	}
	return bytes
}

// maxScratch bounds what is kept of the memory for the point at hand.
const maxScratch = 1 << 12

// outputBytes is what an output takes.
func outputBytes[T any, M measurement[T]](value *T) int {
	var o output[T]
	return int(unsafe.Sizeof(o))*5/4 + M(value).Bytes()
}
