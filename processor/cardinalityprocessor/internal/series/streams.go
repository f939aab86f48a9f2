// SPDX-License-Identifier: Apache-2.0

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
	Shrink(bytes int)
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
	rule       Rule              // why it is merged
	unchanged  bool              // its attributes are unchanged
	returned   bool              // it expired before, so its increments may have been counted
	known      bool              // a point had a value
	stale      bool              // the last point was a stale marker, or there is none yet
	free       bool              // its slot is free
	shared     bool              // two senders write it: only points that start after start count
	bytes      uint32            // charged to the service
	start      pcommon.Timestamp // of a stale cumulative stream: the time of the last value
	time       pcommon.Timestamp // of the last point
	last       T                 // the last value; unused for deltas
}

// Output is a series as it is sent.
type Output[T any] struct {
	check uint64            // the upper half of its identity
	start pcommon.Timestamp // of the points that are sent
	Time  pcommon.Timestamp // of the last point that was sent
	total T                 // of a delta: since that point

	streams uint32 // the first of its list, from 1; 0 for none
	live    int32  // the number of streams that are not stale
	seen    uint32 // the epoch of the last point without a stream
	bytes   uint32 // charged to the service
	rest    uint32 // the number of its rest, from 1; 0 until streams are untracked
	// Of the temporality Latest: current reports whether total, or the number of the
	// decider, is up to date. Steps counts the points since the last recompute.
	decider uint32
	steps   int32

	// What the current batch has for the output.
	Point    int32 // the index of the point that replaces all
	Replaced plan.Replaced
	first    pcommon.Timestamp // the earliest start
	latest   pcommon.Timestamp // the latest time
	valued   pcommon.Timestamp // the latest time of a point with a value
	touched  bool
	changed  bool // by more than stale markers
	ended    bool // a stream ended
	unknown  bool // there were points without a stream

	current  bool
	merged   bool // a stream with changed attributes belongs to it; never reset
	emitted  bool // a point was sent
	free     bool // its slot is free
	Overflow bool
	// waits: the value of a stream that was sent as it came is unknown, and with it the
	// value of the output. No point is sent until a point of that stream arrives.
	waits bool
	// refused: the last point was refused and has to be sent again. The total of a delta
	// includes it, and first is its start if no point was sent before.
	refused bool
}

// Streams holds the streams and outputs of one metric. The metric's lock guards it.
type Streams[T any, M Measurement[T]] struct {
	Temporality Temporality
	metric      *Metric
	Gauge       bool
	unmergeable bool                       // summaries that must not be merged
	quantiles   bool                       // merging loses quantiles, which is not reported yet
	combineBy   conventions.GaugeAggregate // combines latest values
	index       table                      // streams by the lower half of their identity
	found       uint32                     // the index of the last stream that find returned
	streams     []stream[T]
	intervals   []intervals // of deltas, by the index of the stream
	outputs     []Output[T]
	rests       []rest[T]
	freeStreams []uint32
	freeOutputs []uint32
	Touched     []uint32 // the outputs of the current batch
	missed      bool     // a point of the current batch has no stream
	// source is the source of all streams: a part of a look's identity, or noSource or
	// severalSources. 0 for none.
	source  uint64
	passed  int // untracked points of the current batch that are sent as they came
	scratch T
	large   bool // a point of the batch was too large to keep the memory of scratch
	zero    T    // the zero value
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
		t.unmergeable, t.quantiles = m.Plan.DropSummary, true
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
	if t.Temporality == Delta {
		return bytes + int(unsafe.Sizeof(intervals{}))*5/4
	}
	return bytes + M(value).Bytes()
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
	if t.Temporality == Delta {
		t.intervals = append(t.intervals, make([]intervals, len(t.streams)-len(t.intervals))...)
		t.intervals[i] = intervals{}
	}
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
	if n := len(*places); n == cap(*places) {
		// By a quarter: append doubles, and most metrics have few series.
		grown := make([]E, n, n+n/4+1)
		copy(grown, *places)
		*places = grown
	}
	*places = append(*places, *new(E))
	return uint32(len(*places) - 1)
}

// touch records that the batch has a point of an output.
func (t *Streams[T, M]) touch(i uint32, point int) *Output[T] {
	o := &t.outputs[i]
	if !o.touched {
		o.touched, o.changed, o.ended, o.unknown, o.latest, o.valued, o.Point, o.Replaced = true, false, false, false, 0, 0, int32(point), 0
		if !o.refused {
			o.first = 0
		}
		t.Touched = append(t.Touched, i)
	}
	return o
}

// add records the interval of a point without a stream.
func (o *Output[T]) add(start, time pcommon.Timestamp) {
	o.changed, o.merged = true, true
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

// accumulate merges a point into its stream's output. It returns false if the point is late,
// or if a second sender wrote it.
func (t *Streams[T, M]) accumulate(b *Batch, i uint32, p *Point[T]) bool {
	s := &t.streams[i]
	live := !s.stale
	alone := s.unchanged && !t.outputs[s.output].merged
	newer := p.Time > s.time || b.putRight(s.time, p.Time)
	switch {
	case p.Stale && newer:
	case t.Temporality == Delta && !p.Stale:
		if (p.Time <= s.time || p.Time > b.ahead) && t.intervals[i].has(p.Start, p.Time) {
			return false
		}
		t.intervals[i].add(p.Start, p.Time)
	case !newer || t.Temporality == Cumulative && !t.increment(b, s, p) && !alone:
		return false
	}
	o := t.touch(s.output, p.Index)
	resumes := o.waits && s.unchanged
	if resumes {
		o.waits, o.start = false, p.Start
	}
	o.latest = max(o.latest, p.Time)
	o.merged = o.merged || !s.unchanged
	if p.Stale && live && t.Temporality == Cumulative {
		s.start = s.time
	}
	if newer {
		o.current = o.current && p.Time > s.time // else another stream may be the newest
		s.time = p.Time
	}
	if p.Stale {
		if resumes {
			o.start = p.Time // the other streams go on alone
		}
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
	if newer && !live {
		s.stale = false
		o.live++
	}
	o.changed = true
	o.ended = o.ended || o.live == 0 // a delta from before the end
	o.valued = max(o.valued, p.Time)
	switch t.Temporality {
	case Delta:
		if o.first == 0 || p.Start < o.first {
			o.first = p.Start
		}
		M(&o.total).Add(&p.Value)
	case Cumulative:
		M(&o.total).Add(&t.scratch)
		M(&s.last).Set(&p.Value)
	case Latest:
		s.start = p.Start
		M(&t.scratch).Set(&s.last)
		M(&s.last).Set(&p.Value)
		t.updateLatest(s.output, i, &t.scratch, live)
	}
	s.known = true
	return true
}

// increment sets scratch to what a point adds to its cumulative stream. It returns false if a
// second sender wrote the point.
//
// A new stream that started at or before since may have been counted already: its first value
// is only a baseline, unless a look proves that the stream is new. Later, a start after the
// stream's last point is a restart. Any other start does not count, since some senders state
// a start that wanders: the values decide. A decrease is a reset.
//
// But a decrease together with another start that is no restart comes from a second sender of
// the stream, and each change between the two would look like a reset. From then on only the
// sender that started later counts: start is set between the two. Starts of a clock that was ahead
// until then cannot be compared.
func (t *Streams[T, M]) increment(b *Batch, s *stream[T], p *Point[T]) bool {
	last, stated := s.time, p.Start != s.start
	if s.stale {
		last, stated, s.shared = s.start, true, false
	}
	M(&t.scratch).Set(&p.Value)
	switch {
	case !s.known && (b.started(p.Start, p.Time) > t.metric.since && !s.returned || b.proves(t.metric)), s.known && stated && p.Start >= last, t.outputs[s.output].waits && s.unchanged:
		M(&t.scratch).Sub(&t.zero)
		s.shared = false
	case !s.known:
		M(&t.scratch).Sub(&p.Value)
	case s.stale:
		M(&t.scratch).Sub(&s.last)
	case s.shared && p.Start < s.start:
		return false
	default:
		reset := M(&t.scratch).Sub(&s.last)
		if s.shared {
			return true
		}
		if reset && p.Start != s.start && !b.putRight(last, p.Time) {
			earlier := p.Start < s.start
			s.shared, s.start = true, s.start/2+p.Start/2
			return !earlier
		}
	}
	s.start = p.Start
	return true
}

func (t *Streams[T, M]) count() int { return t.index.count }

func (t *Streams[T, M]) knows(id attrhash.Hash) bool {
	_, ok := t.find(id)
	return ok
}

func (t *Streams[T, M]) empty() bool {
	return t.index.count == 0 && len(t.outputs) == len(t.freeOutputs)
}

func (t *Streams[T, M]) isFree(output uint32) bool { return t.outputs[output-1].free }

func (t *Streams[T, M]) live(output uint32) int { return int(t.outputs[output-1].live) }

// sentAsCame records that the points of an output that is not merged are sent as they came.
func (t *Streams[T, M]) sentAsCame(b *Batch, o *Output[T]) {
	if o.latest > o.Time || b.putRight(o.Time, o.latest) {
		o.Time = o.latest
	}
	o.emitted, o.current = true, false
	M(&o.total).Reset()
	for i := o.streams; i != 0; i = t.streams[i-1].next {
		s := &t.streams[i-1]
		if !s.unchanged || !s.known {
			continue
		}
		if t.Temporality != Delta && !t.Gauge && !s.stale {
			o.start = s.start
		}
		if t.Temporality == Cumulative {
			M(&o.total).Set(&s.last)
			M(&o.total).Sub(&t.zero) // removes min and max, which no later interval can have
		}
	}
}
