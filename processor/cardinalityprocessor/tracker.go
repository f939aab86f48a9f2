package cardinalityprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
)

// measurement is what a kind of point measured: a type of package aggregate.
type measurement[T any] interface {
	*T
	Set(*T)
	Add(*T)
	Sub(*T) (reset bool)
	Reset()
	Bytes() int
}

// stream is a series as it comes in, of which points are merged into an output
// series.
type stream[T any] struct {
	id     attrhash.Hash
	output uint32 // an index
	// The neighbours in the output's list of streams, from 1; 0 ends it.
	prev, next uint32
	seen       uint32 // an epoch
	others     uint32 // which of the limited attributes became other, as bits
	touched    uint32 // when the values of the others were touched: an epoch
	rule       rule   // why it is merged
	native     bool   // its attributes are the output's
	returned   bool   // it may have been counted before it came
	known      bool   // a point had a value
	stale      bool   // the last one had none
	removed    bool   // its place is free
	bytes      uint32 // charged to the service
	start      pcommon.Timestamp
	time       pcommon.Timestamp // of the last point
	last       T                 // the last point's
}

// output is a series as it goes out.
type output[T any] struct {
	streams uint32 // the first of its list, from 1; 0 for none
	live    int    // streams that are not stale
	// merged is set for good by the first point of a stream with other attributes.
	// Until then the points go out as they came.
	merged   bool
	overflow bool
	emitted  bool
	check    uint64            // the upper half of its identity
	gone     bool              // its place is free
	seen     uint32            // the epoch of the last point that no stream is known of
	start    pcommon.Timestamp // of what goes out
	time     pcommon.Timestamp // of what went out last
	total    T                 // of a delta: what came since
	// Of what is made of latest values: whether total, or the stream that decides, from
	// 1, is what the live streams come to, and how many points ago it was found.
	current bool
	decider uint32
	steps   int

	// What the batch at hand brought.
	touched bool
	changed bool              // other than by stale markers
	first   pcommon.Timestamp // the earliest start
	latest  pcommon.Timestamp // the latest time
	valued  pcommon.Timestamp // the latest time of a point with a value
	ended   bool              // a stream ended
	unknown bool              // there were points that no stream is known of
	carrier int               // the point that goes out for all, an index
	others  uint32            // which of its limited attributes are other

	// owed: what it sent last was refused and has to go out again. A delta's total then
	// has it, and first is where that began if nothing was sent before.
	owed bool

	window uint64 // in which its points were gathered last
	slot   int    // where in that window's metric
	bytes  uint32 // charged to the service
}

// tracker holds the streams and outputs of one family. It is guarded by the
// family's mutex.
type tracker[T any, M measurement[T]] struct {
	kind        kindOf[T, M]
	temporality temporality
	gauge       bool
	how         conventions.GaugeAggregate // of latest values
	index       table                      // streams by their identity
	found       uint32                     // the stream that was found last, if it is there still
	streams     []stream[T]
	outputs     []output[T]
	freeStreams []uint32
	freeOutputs []uint32
	touched     []uint32 // outputs, by the batch at hand
	current     T        // the point at hand
	increment   T        // what its stream grew by
	nothing     T
	wide        bool // the points at hand were so wide that their memory is not kept
}

// newTracker makes the tracker of a metric. How is what becomes of gauges; sums that
// go up and down add up, and a gauge that nothing is said of is the newest.
func newTracker[T any, M measurement[T]](kind kindOf[T, M], of pmetric.MetricType, temporality temporality, how conventions.GaugeAggregate) *tracker[T, M] {
	t := &tracker[T, M]{kind: kind, temporality: temporality, gauge: of == pmetric.MetricTypeGauge, how: how}
	if !t.gauge {
		t.how = conventions.AggregateSum
	}
	return t
}

// temporality says how the points of one stream, and the streams of one output,
// come together.
type temporality uint8

const (
	// delta points add up, whoever sent them.
	delta temporality = iota
	// cumulative streams only grow: what they grew by adds up.
	cumulative
	// latest are streams whose latest values make up the output: gauges, and sums
	// that go up and down.
	latest
)

// find returns the index of a known stream. Streams lie in the order in which they
// came first, and a sender mostly keeps to it: the next one need not be looked up.
func (t *tracker[T, M]) find(id attrhash.Hash) (uint32, bool) {
	if next := t.found + 1; int(next) < len(t.streams) {
		if s := &t.streams[next]; s.id == id && !s.removed {
			t.found = next
			return next, true
		}
	}
	e := t.index.get(id.Lo)
	if e == nil || t.streams[e.ref].id.Hi != id.Hi {
		return 0, false
	}
	t.found = e.ref
	return e.ref, true
}

// addStream makes a stream of an output. It fails on the rare identity whose
// lower half another stream has.
func (t *tracker[T, M]) addStream(id attrhash.Hash, out uint32) (uint32, bool) {
	if t.index.get(id.Lo) != nil {
		return 0, false
	}
	i := take(&t.streams, &t.freeStreams)
	s, o := &t.streams[i], &t.outputs[out]
	*s = stream[T]{id: id, output: out, next: o.streams, stale: true}
	if o.streams != 0 {
		t.streams[o.streams-1].prev = i + 1
	}
	o.streams = i + 1
	t.index.put(id.Lo, 0, i)
	return i, true
}

// addOutput makes an output series.
func (t *tracker[T, M]) addOutput(start pcommon.Timestamp) uint32 {
	i := take(&t.outputs, &t.freeOutputs)
	t.outputs[i] = output[T]{start: start}
	return i
}

// take returns the index of a place in a slice: a free one, or else a new one.
func take[E any](places *[]E, free *[]uint32) uint32 {
	if n := len(*free); n > 0 {
		i := (*free)[n-1]
		*free = (*free)[:n-1]
		return i
	}
	*places = append(*places, *new(E))
	return uint32(len(*places) - 1)
}

// touch notes that point number carrier of the metric at hand is of an output.
func (t *tracker[T, M]) touch(i uint32, carrier int) *output[T] {
	o := &t.outputs[i]
	if !o.touched {
		o.touched, o.changed, o.ended, o.latest, o.valued, o.carrier = true, false, false, 0, 0, carrier
		o.unknown = false
		if !o.owed {
			o.first = 0
		}
		o.others = 0
		t.touched = append(t.touched, i)
	}
	return o
}

// add notes the interval of a delta that no stream is known of.
func (o *output[T]) add(start, time pcommon.Timestamp) {
	o.changed, o.merged, o.unknown = true, true, true
	o.latest, o.valued = max(o.latest, time), max(o.valued, time)
	if o.first == 0 || start < o.first {
		o.first = start
	}
}

// again has what an output sent last go out again, with a late point of it.
func (t *tracker[T, M]) again(i uint32, carrier int, time pcommon.Timestamp) {
	o := t.touch(i, carrier)
	o.latest, o.valued = max(o.latest, time), max(o.valued, time)
	o.changed, o.ended = true, o.live == 0
}

// fold merges the point at hand, t.current, into its stream's output. A stream
// that comes for the first time and did not start after since may have been
// counted before: what it had counted by now is where counting begins. It returns
// false for a point that cannot be merged, as it is not newer than the stream's
// last, or of another writer: two that take turns would look like a reset at each.
func (t *tracker[T, M]) fold(i uint32, carrier int, start, time, since pcommon.Timestamp, stale bool) bool {
	s := &t.streams[i]
	live := !s.stale
	alone := s.native && !t.outputs[s.output].merged
	if time <= s.time || t.temporality == cumulative && start < s.start && !alone && !stale {
		return false
	}
	o := t.touch(s.output, carrier)
	o.latest = max(o.latest, time)
	o.merged = o.merged || !s.native
	s.time = time
	if stale {
		o.ended = true
		if live {
			s.stale = true
			o.live--
			if t.temporality == latest {
				o.changed = true
				t.kind.follow(t, o, i, &s.last, true)
			}
		}
		return true
	}
	if !live {
		s.stale = false
		o.live++
	}
	o.changed = true
	o.valued = max(o.valued, time)
	switch t.temporality {
	case delta:
		if o.first == 0 || start < o.first {
			o.first = start
		}
		M(&o.total).Add(&t.current)
	case cumulative:
		M(&t.increment).Set(&t.current)
		switch {
		case !s.known && start > since && !s.returned, s.known && start != s.start:
			M(&t.increment).Sub(&t.nothing) // all of it is new
		case !s.known:
			M(&t.increment).Sub(&t.current)
		default:
			M(&t.increment).Sub(&s.last)
		}
		M(&o.total).Add(&t.increment)
		M(&s.last).Set(&t.current)
	case latest:
		M(&t.increment).Set(&s.last)
		M(&s.last).Set(&t.current)
		t.kind.follow(t, o, i, &t.increment, live)
	}
	s.start, s.known = start, true
	return true
}

func (t *tracker[T, M]) state() *trackerState { return t.kind.save(t) }

func (t *tracker[T, M]) count() int { return t.index.count }

func (t *tracker[T, M]) removed(output uint32) bool { return t.outputs[output-1].gone }

func (t *tracker[T, M]) live(output uint32) int { return t.outputs[output-1].live }

// passed notes that an output's points went out as they came.
func (t *tracker[T, M]) passed(o *output[T]) {
	o.time, o.emitted, o.current = max(o.time, o.latest), true, false
	M(&o.total).Reset()
	for i := o.streams; i != 0; i = t.streams[i-1].next {
		s := &t.streams[i-1]
		if !s.native || !s.known {
			continue
		}
		if t.temporality != delta && !t.gauge {
			o.start = s.start
		}
		if t.temporality == cumulative {
			M(&o.total).Set(&s.last)
			M(&o.total).Sub(&t.nothing) // the least and the greatest value are of no interval
		}
	}
}
