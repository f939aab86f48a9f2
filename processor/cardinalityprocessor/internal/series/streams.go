package series

import (
	"unsafe"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
	"github.com/otelcol-tc/otelcol-tc/internal/attrhash"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
)

// Measurement is the value of a data point: a type of package aggregate.
type Measurement[T any] interface {
	*T
	Set(*T)
	Add(*T)
	Sub(*T) (reset bool)
	Reset()
	Bytes() int
}

// stream is a series as its sender knows it, whose points are merged into an output.
type stream[T any] struct {
	id     attrhash.Hash
	output uint32 // an index
	// The neighbours in the output's list of streams, from 1; 0 for none.
	prev, next uint32
	seen       uint32 // an epoch
	touched    uint32 // the epoch in which its limited values were renewed
	replaced   plan.Replaced
	rule       Rule   // why it is merged
	unchanged  bool   // its attributes are unchanged
	returned   bool   // it expired before, so its increments may have been counted
	known      bool   // a point had a value
	stale      bool   // the last point was a stale marker, or there is none yet
	free       bool   // its slot is free
	bytes      uint32 // charged to the service
	start      pcommon.Timestamp
	time       pcommon.Timestamp // of the last point
	last       T                 // the last value; unused for deltas
}

// Output is a series as it is sent.
type Output[T any] struct {
	streams  uint32 // the first of its list, from 1; 0 for none
	live     int    // the number of streams that are not stale
	merged   bool   // a stream with changed attributes belongs to it; never reset
	emitted  bool   // a point was sent
	free     bool   // its slot is free
	Overflow bool
	seen     uint32            // the epoch of the last point without a stream
	check    uint64            // the upper half of its identity
	start    pcommon.Timestamp // of the points that are sent
	Time     pcommon.Timestamp // of the last point that was sent
	total    T                 // of a delta: since that point
	// Of the temporality Latest: current reports whether total, or the number of the
	// decider, is up to date. Steps counts the points since the last recompute.
	current bool
	decider uint32
	steps   int

	// What the current batch has for the output.
	touched  bool
	changed  bool              // by more than stale markers
	first    pcommon.Timestamp // the earliest start
	latest   pcommon.Timestamp // the latest time
	valued   pcommon.Timestamp // the latest time of a point with a value
	ended    bool              // a stream ended
	unknown  bool              // there were points without a stream
	Point    int               // the index of the point that replaces all
	Replaced plan.Replaced

	// refused: the last point was refused and has to be sent again. The total of a delta
	// includes it, and first is its start if no point was sent before.
	refused bool

	Window uint64 // the last window that has a point of it
	Slot   int    // the point's index in that window's metric
	bytes  uint32 // charged to the service
}

// Streams holds the streams and outputs of one metric. The metric's lock guards it.
type Streams[T any, M Measurement[T]] struct {
	Temporality Temporality
	metric      *Metric
	Gauge       bool
	unmergeable bool                       // summaries that must not be merged
	combineBy   conventions.GaugeAggregate // combines latest values
	index       table                      // streams by the lower half of their identity
	found       uint32                     // the index of the last stream that find returned
	streams     []stream[T]
	outputs     []Output[T]
	freeStreams []uint32
	freeOutputs []uint32
	Touched     []uint32 // the outputs of the current batch
	scratch     T
	large       bool // a point of the batch was too large to keep the memory of scratch
	zero        T    // the zero value
}

// StreamsOf returns the streams of a locked metric. It creates them for the first point.
func StreamsOf[T any, M Measurement[T]](m *Metric, temporality Temporality, gauge bool) *Streams[T, M] {
	if known, ok := m.streams.(*Streams[T, M]); ok {
		return known
	}
	t := &Streams[T, M]{metric: m, Temporality: temporality, Gauge: gauge, combineBy: conventions.AggregateSum}
	if gauge {
		t.combineBy = m.Plan.Gauge
	}
	if _, summary := any(&t.zero).(*aggregate.Summary); summary {
		t.unmergeable = !m.Plan.FoldSummary
	}
	m.streams = t
	return t
}

// Temporality defines how the points of a stream, and the streams of an output, are combined.
type Temporality uint8

const (
	// Delta outputs are the sum of all points.
	Delta Temporality = iota
	// Cumulative outputs are the sum of the increments of monotonic streams.
	Cumulative
	// Latest outputs combine the latest values of their streams: gauges, and sums that
	// are not monotonic.
	Latest
)

// streamBytes returns the memory of a stream with a last value, with spare capacity of its
// slice and table. The last value of a delta is not stored.
func (t *Streams[T, M]) streamBytes(value *T) int {
	bytes := int(unsafe.Sizeof(stream[T]{}))*5/4 + seriesBytes
	if t.Temporality != Delta {
		bytes += M(value).Bytes()
	}
	return bytes
}

// outputBytes returns the memory of an output with a total.
func outputBytes[T any, M Measurement[T]](value *T) int {
	return int(unsafe.Sizeof(Output[T]{}))*5/4 + M(value).Bytes()
}

// find returns the index of a known stream. Senders mostly repeat the order of their points,
// in which the streams were created, so find tries the next stream before the table.
func (t *Streams[T, M]) find(id attrhash.Hash) (uint32, bool) {
	if next := t.found + 1; int(next) < len(t.streams) {
		if s := &t.streams[next]; s.id == id && !s.free {
			t.found = next
			return next, true
		}
	}
	e := t.index.get(id.Lo)
	if e == nil || t.streams[e.Ref].id.Hi != id.Hi {
		return 0, false
	}
	t.found = e.Ref
	return e.Ref, true
}

// addStream creates a stream of an output. It returns false if another stream has the same
// lower half of the identity, which is rare.
func (t *Streams[T, M]) addStream(id attrhash.Hash, out uint32) (uint32, bool) {
	if t.index.get(id.Lo) != nil {
		return 0, false
	}
	i := allocate(&t.streams, &t.freeStreams)
	s, o := &t.streams[i], &t.outputs[out]
	*s = stream[T]{id: id, output: out, next: o.streams, stale: true}
	if o.streams != 0 {
		t.streams[o.streams-1].prev = i + 1
	}
	o.streams = i + 1
	t.index.put(id.Lo, 0, i)
	return i, true
}

// addOutput creates an output and returns its index.
func (t *Streams[T, M]) addOutput(start pcommon.Timestamp) uint32 {
	i := allocate(&t.outputs, &t.freeOutputs)
	t.outputs[i] = Output[T]{start: start}
	return i
}

// allocate returns the index of a free slot. It appends one if there is none.
func allocate[E any](places *[]E, free *[]uint32) uint32 {
	if n := len(*free); n > 0 {
		i := (*free)[n-1]
		*free = (*free)[:n-1]
		return i
	}
	*places = append(*places, *new(E))
	return uint32(len(*places) - 1)
}

// touch records that the batch has a point of an output.
func (t *Streams[T, M]) touch(i uint32, point int) *Output[T] {
	o := &t.outputs[i]
	if !o.touched {
		o.touched, o.changed, o.ended, o.unknown, o.latest, o.valued, o.Point, o.Replaced = true, false, false, false, 0, 0, point, 0
		if !o.refused {
			o.first = 0
		}
		t.Touched = append(t.Touched, i)
	}
	return o
}

// add records the interval of a delta without a stream.
func (o *Output[T]) add(start, time pcommon.Timestamp) {
	o.changed, o.merged, o.unknown = true, true, true
	o.latest, o.valued = max(o.latest, time), max(o.valued, time)
	if o.first == 0 || start < o.first {
		o.first = start
	}
}

// resend sends the last point of an output again, since the point was refused and the sender
// repeats its own.
func (t *Streams[T, M]) resend(i uint32, p *Point[T]) {
	o := t.touch(i, p.Index)
	o.latest, o.valued = max(o.latest, p.Time), max(o.valued, p.Time)
	o.changed, o.ended = true, o.live == 0
}

// accumulate merges a point into its stream's output. A new cumulative stream that started at or
// before since may have been counted already: its first value is only a baseline. accumulate
// returns false for a late point. It also returns false for a cumulative point whose start
// is before the stream's: a second sender writes the stream, and each change between the
// two would look like a reset.
func (t *Streams[T, M]) accumulate(i uint32, p *Point[T]) bool {
	s := &t.streams[i]
	live := !s.stale
	alone := s.unchanged && !t.outputs[s.output].merged
	if p.Time <= s.time || t.Temporality == Cumulative && p.Start < s.start && !alone && !p.Stale {
		return false
	}
	o := t.touch(s.output, p.Index)
	o.latest = max(o.latest, p.Time)
	o.merged = o.merged || !s.unchanged
	s.time = p.Time
	if p.Stale {
		o.ended = true
		if live {
			s.stale = true
			o.live--
			if t.Temporality == Latest {
				o.changed = true
				t.updateLatest(s.output, i, &s.last, true)
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
			M(&t.scratch).Sub(&t.zero) // a new or reset stream: the whole value counts
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
		t.updateLatest(s.output, i, &t.scratch, live)
	}
	s.start, s.known = p.Start, true
	return true
}

func (t *Streams[T, M]) count() int { return t.index.count }

func (t *Streams[T, M]) isFree(output uint32) bool { return t.outputs[output-1].free }

func (t *Streams[T, M]) live(output uint32) int { return t.outputs[output-1].live }

// sentAsCame records that the points of an output that is not merged are sent as they came.
func (t *Streams[T, M]) sentAsCame(o *Output[T]) {
	o.Time, o.emitted, o.current = max(o.Time, o.latest), true, false
	M(&o.total).Reset()
	for i := o.streams; i != 0; i = t.streams[i-1].next {
		s := &t.streams[i-1]
		if !s.unchanged || !s.known {
			continue
		}
		if t.Temporality != Delta && !t.Gauge {
			o.start = s.start
		}
		if t.Temporality == Cumulative {
			M(&o.total).Set(&s.last)
			M(&o.total).Sub(&t.zero) // removes min and max, which no later interval can have
		}
	}
}
