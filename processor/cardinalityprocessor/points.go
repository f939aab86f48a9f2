package cardinalityprocessor

import (
	"slices"
	"unsafe"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
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

// pass is what the points of one metric are done with.
type pass[D point, T any, M measurement[T]] struct {
	w     *walk
	at    site
	scope attrhash.Hash
	f     *family
	t     *tracker[T, M] // nil until it is needed
	kind  *kind[D, T, M]
	all   points[D]
	head  head // of the point at hand, whose value the tracker has
	bytes int  // that the value takes
	// exemplars: some point has some.
	exemplars bool
}

// walkPoints does the points of one metric and tells whether none is left of them.
func walkPoints[D point, T any, M measurement[T]](w *walk, at site, known *batchMetric, kind *kind[D, T, M]) (emptied bool) {
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
	// Most of the work needs no lock, which other batches may wait for.
	rules := f.plan.keys
	w.ids = slices.Grow(w.ids[:0], before)[:before]
	for i := range w.ids {
		w.ids[i] = w.identifyPoint(all.At(i).Attributes(), rules)
	}
	p := pass[D, T, M]{w: w, at: at, scope: known.scope, kind: kind, all: all}
	if !p.run(f, known.temporality) {
		return false
	}
	p.sweep()
	return all.Len() == 0
}

// sweep removes the points that do not go out.
func (p *pass[D, T, M]) sweep() {
	i := -1
	p.all.RemoveIf(func(D) bool {
		i++
		return p.w.marks[i] == markRemove
	})
}

// run does the points of a family, whose lock it holds, and tells whether not all
// stay as they came. Their marks say then which go out.
func (p *pass[D, T, M]) run(f *family, how temporality) (touched bool) {
	w := p.w
	f = w.lock(f)
	defer f.mu.Unlock()
	p.f = f
	p.t, _ = f.tracked.(*tracker[T, M])
	mayDrop := f.plan.keys.any()
	p.warm(mayDrop)
	w.marks = w.marks[:0]
	for i := range w.ids {
		id := &w.ids[i]
		what := markKeep
		var series *entry
		if !mayDrop && !id.limited {
			series = f.series.get(id.series.Lo)
		}
		if series != nil && series.ref == 0 {
			series.seen = w.epoch
		} else {
			if p.t == nil {
				p.t = newTracker(p.kind, p.at.metric.Type(), how, f.plan.gauge)
				f.tracked = p.t
			}
			what = p.route(p.all.At(i), i, id)
			touched = touched || what != markKeep
		}
		w.marks = append(w.marks, what)
	}
	if touched {
		p.emit()
	}
	return touched
}

// warm looks up the points' streams, and reads a little of what is known of each. A
// point that is looked up and merged waits for memory again and again, and the next one
// after it. Here nothing depends on what is read, so that all points wait at the same
// time.
func (p *pass[D, T, M]) warm(mayDrop bool) {
	sum := uint64(0)
	switch {
	case !mayDrop:
		for i := range p.w.ids {
			sum += p.f.series.peek(p.w.ids[i].series.Lo)
		}
	case p.t != nil:
		for i := range p.w.ids {
			id := &p.w.ids[i]
			if index, ok := p.t.find(id.stream); ok {
				s := &p.t.streams[index]
				sum += uint64(s.time) + p.t.outputs[s.output].check
				id.known = index + 1
			}
		}
	}
	p.w.warmed = sum
}

// streamBytes is what a stream takes whose last value takes so much, with the room that
// its table grows by. Of a delta's last point nothing is remembered but its time.
func streamBytes[T any, M measurement[T]](t *tracker[T, M], value int) int {
	var s stream[T]
	bytes := int(unsafe.Sizeof(s))*5/4 + seriesBytes
	if t.temporality != delta {
		bytes += value
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
