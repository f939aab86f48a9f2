package series

import (
	"unsafe"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// Measurement is what a kind of point measured: a type of package aggregate.
type Measurement[T any] interface {
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
	touched    uint32 // when the limited values were touched: an epoch
	replaced   plan.Replaced
	rule       Rule   // why it is merged
	same       bool   // its attributes are the output's
	returned   bool   // it may have been counted before it came
	known      bool   // a point had a value
	stale      bool   // the last one had none
	removed    bool   // its place is free
	bytes      uint32 // charged to the service
	start      pcommon.Timestamp
	time       pcommon.Timestamp // of the last point
	last       T                 // the last point's
}

// Output is a series as it goes out.
type Output[T any] struct {
	streams uint32 // the first of its list, from 1; 0 for none
	live    int    // streams that are not stale
	// merged is set for good by the first point of a stream with other attributes.
	// Until then the points go out as they came.
	merged   bool
	emitted  bool
	gone     bool // its place is free
	Overflow bool
	seen     uint32            // the epoch of the last point that no stream is known of
	check    uint64            // the upper half of its identity
	start    pcommon.Timestamp // of what goes out
	Time     pcommon.Timestamp // of what went out last
	total    T                 // of a delta: what came since
	// Of what is made of latest values: whether total, or the stream that decides, from
	// 1, is what the live streams come to, and how many points ago it was found.
	current bool
	decider uint32
	steps   int

	// What the batch at hand brought.
	touched  bool
	changed  bool              // other than by stale markers
	first    pcommon.Timestamp // the earliest start
	latest   pcommon.Timestamp // the latest time
	valued   pcommon.Timestamp // the latest time of a point with a value
	ended    bool              // a stream ended
	unknown  bool              // there were points that no stream is known of
	Point    int               // the index of the point that goes out for all
	Replaced plan.Replaced

	// owed: what it sent last was refused and has to go out again. A delta's total then
	// has it, and first is where that began if nothing was sent before.
	owed bool

	Window uint64 // in which its points were gathered last
	Slot   int    // where in that window's metric
	bytes  uint32 // charged to the service
}

// Streams holds the streams and outputs of one metric, whose lock guards it.
type Streams[T any, M Measurement[T]] struct {
	Temporality Temporality
	metric      *Metric
	Gauge       bool
	separate    bool                       // summaries, which must not be merged
	how         conventions.GaugeAggregate // of latest values
	index       table                      // streams by their identity
	found       uint32                     // the stream that was found last, if it is there still
	streams     []stream[T]
	outputs     []Output[T]
	freeStreams []uint32
	freeOutputs []uint32
	Touched     []uint32 // outputs, by the batch at hand
	scratch     T
	wide        bool // a point at hand is so wide that the memory of scratch is not kept
	nothing     T
}

// StreamsOf returns the streams of a metric, which is locked. It makes them for the first
// point.
func StreamsOf[T any, M Measurement[T]](m *Metric, temporality Temporality, gauge bool) *Streams[T, M] {
	if known, ok := m.streams.(*Streams[T, M]); ok {
		return known
	}
	t := &Streams[T, M]{metric: m, Temporality: temporality, Gauge: gauge, how: conventions.AggregateSum}
	if gauge {
		t.how = m.Plan.Gauge
	}
	if _, summary := any(&t.nothing).(*aggregate.Summary); summary {
		t.separate = !m.Plan.FoldSummary
	}
	m.streams = t
	return t
}

// Temporality says how the points of one stream, and the streams of one output,
// come together.
type Temporality uint8

const (
	// Delta points add up, whoever sent them.
	Delta Temporality = iota
	// Cumulative streams only grow: what they grew by adds up.
	Cumulative
	// Latest are streams whose latest values make up the output: gauges, and sums
	// that go up and down.
	Latest
)

// streamBytes is what a stream takes whose last value takes so much, with the room that its
// table grows by. Of a delta's last point nothing is remembered but its time.
func (t *Streams[T, M]) streamBytes(value *T) int {
	bytes := int(unsafe.Sizeof(stream[T]{}))*5/4 + seriesBytes
	if t.Temporality != Delta {
		bytes += M(value).Bytes()
	}
	return bytes
}

// outputBytes is what an output takes.
func outputBytes[T any, M Measurement[T]](value *T) int {
	return int(unsafe.Sizeof(Output[T]{}))*5/4 + M(value).Bytes()
}

// find returns the index of a known stream. Streams lie in the order in which they
// came first, and a sender mostly keeps to it: the next one need not be looked up.
func (t *Streams[T, M]) find(id attrhash.Hash) (uint32, bool) {
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
func (t *Streams[T, M]) addStream(id attrhash.Hash, out uint32) (uint32, bool) {
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
func (t *Streams[T, M]) addOutput(start pcommon.Timestamp) uint32 {
	i := take(&t.outputs, &t.freeOutputs)
	t.outputs[i] = Output[T]{start: start}
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

// touch notes that the batch at hand brought a point of an output.
func (t *Streams[T, M]) touch(i uint32, point int) *Output[T] {
	o := &t.outputs[i]
	if !o.touched {
		o.touched, o.changed, o.ended, o.unknown, o.latest, o.valued, o.Point, o.Replaced = true, false, false, false, 0, 0, point, 0
		if !o.owed {
			o.first = 0
		}
		t.Touched = append(t.Touched, i)
	}
	return o
}

// add notes the interval of a delta that no stream is known of.
func (o *Output[T]) add(start, time pcommon.Timestamp) {
	o.changed, o.merged, o.unknown = true, true, true
	o.latest, o.valued = max(o.latest, time), max(o.valued, time)
	if o.first == 0 || start < o.first {
		o.first = start
	}
}

// again has what an output sent last go out again, with a late point of it.
func (t *Streams[T, M]) again(i uint32, p *Point[T]) {
	o := t.touch(i, p.Index)
	o.latest, o.valued = max(o.latest, p.Time), max(o.valued, p.Time)
	o.changed, o.ended = true, o.live == 0
}

// fold merges a point into its stream's output. A stream that comes for the first time and
// did not start after since may have been counted before: what it had counted by now is
// where counting begins. It returns false for a point that cannot be merged, as it is not
// newer than the stream's last, or of another writer: two that take turns would look like a
// reset at each.
func (t *Streams[T, M]) fold(i uint32, p *Point[T]) bool {
	s := &t.streams[i]
	live := !s.stale
	alone := s.same && !t.outputs[s.output].merged
	if p.Time <= s.time || t.Temporality == Cumulative && p.Start < s.start && !alone && !p.Stale {
		return false
	}
	o := t.touch(s.output, p.Index)
	o.latest = max(o.latest, p.Time)
	o.merged = o.merged || !s.same
	s.time = p.Time
	if p.Stale {
		o.ended = true
		if live {
			s.stale = true
			o.live--
			if t.Temporality == Latest {
				o.changed = true
				t.follow(s.output, i, &s.last, true)
			}
		}
		return true
	}
	if !live {
		s.stale = false
		o.live++
	}
	o.changed = true
	o.valued = max(o.valued, p.Time)
	switch t.Temporality {
	case Delta:
		if o.first == 0 || p.Start < o.first {
			o.first = p.Start
		}
		M(&o.total).Add(&p.Value)
	case Cumulative:
		M(&t.scratch).Set(&p.Value)
		switch {
		case !s.known && p.Start > t.metric.since && !s.returned, s.known && p.Start != s.start:
			M(&t.scratch).Sub(&t.nothing) // all of it is new
		case !s.known:
			M(&t.scratch).Sub(&p.Value)
		default:
			M(&t.scratch).Sub(&s.last)
		}
		M(&o.total).Add(&t.scratch)
		M(&s.last).Set(&p.Value)
	case Latest:
		M(&t.scratch).Set(&s.last)
		M(&s.last).Set(&p.Value)
		t.follow(s.output, i, &t.scratch, live)
	}
	s.start, s.known = p.Start, true
	return true
}

func (t *Streams[T, M]) count() int { return t.index.count }

func (t *Streams[T, M]) removed(output uint32) bool { return t.outputs[output-1].gone }

func (t *Streams[T, M]) live(output uint32) int { return t.outputs[output-1].live }

// sentAsCame notes that an output's points went out as they came.
func (t *Streams[T, M]) sentAsCame(o *Output[T]) {
	o.Time, o.emitted, o.current = max(o.Time, o.latest), true, false
	M(&o.total).Reset()
	for i := o.streams; i != 0; i = t.streams[i-1].next {
		s := &t.streams[i-1]
		if !s.same || !s.known {
			continue
		}
		if t.Temporality != Delta && !t.Gauge {
			o.start = s.start
		}
		if t.Temporality == Cumulative {
			M(&o.total).Set(&s.last)
			M(&o.total).Sub(&t.nothing) // the least and the greatest value are of no interval
		}
	}
}
