// SPDX-License-Identifier: Apache-2.0

package series

import (
	"unsafe"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions"
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
	streamState
	// The neighbours in the output's list of streams, from 1; 0 for none.
	prev, next uint32
	touched    uint32 // the epoch in which its limited values were renewed
	bytes      uint32 // charged to the service
	last       T      // the last value; unused for deltas
}

// streamState is the part of a stream that snapshots store, besides the last value.
type streamState struct {
	ID        attrhash.Hash
	Output    uint32 // an index
	Seen      uint32 // an epoch
	Replaced  plan.Replaced
	Rule      Rule              // why it is merged
	Unchanged bool              // its attributes are unchanged
	Returned  bool              // it expired before, so its increments may have been counted
	Known     bool              // a point had a value
	Stale     bool              // the last point was a stale marker, or there is none yet
	Free      bool              // its slot is free
	Shared    bool              // two senders write it: only points that start after Start count
	Start     pcommon.Timestamp // of a stale cumulative stream: the time of the last value
	Time      pcommon.Timestamp // of the last point
}

// Output is a series as it is sent.
type Output[T any] struct {
	outputState
	total T // of a delta: since the last point that was sent

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
	latest   pcommon.Timestamp // the latest time
	valued   pcommon.Timestamp // the latest time of a point with a value
	touched  bool
	changed  bool // by more than stale markers
	ended    bool // a stream ended
	unknown  bool // there were points without a stream

	current bool
}

// outputState is the part of an output that snapshots store, besides the total.
type outputState struct {
	Check    uint64            // the upper half of its identity
	Start    pcommon.Timestamp // of the points that are sent
	First    pcommon.Timestamp // the earliest start of the current batch, or of a refused delta
	Time     pcommon.Timestamp // of the last point that was sent
	Merged   bool              // a stream with changed attributes belongs to it; never reset
	Emitted  bool              // a point was sent
	Free     bool              // its slot is free
	Overflow bool
	// Waits: the value of a stream that was sent as it came is unknown, and with it the
	// value of the output. No point is sent until a point of that stream arrives.
	Waits bool
	// Refused: the last point was refused and has to be sent again. The total of a delta
	// includes it, and First is its start if no point was sent before.
	Refused bool
}

// Streams holds the streams and outputs of one metric. The metric's lock guards it.
type Streams[T any, M Measurement[T]] struct {
	Type        pmetric.MetricType
	Temporality Temporality
	metric      *Metric
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
func StreamsOf[T any, M Measurement[T]](m *Metric, of pmetric.MetricType, temporality Temporality) *Streams[T, M] {
	if known, ok := m.streams.(*Streams[T, M]); ok {
		return known
	}
	t := &Streams[T, M]{metric: m, Type: of, Temporality: temporality, combineBy: conventions.AggregateSum}
	switch of {
	case pmetric.MetricTypeGauge:
		t.combineBy = m.Plan.Gauge
	case pmetric.MetricTypeSummary:
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
		if s := &t.streams[next]; s.ID == id && !s.Free {
			t.found = next
			return next, true
		}
	}
	e := t.index.get(id.Lo)
	if e == nil || t.streams[e.Ref].ID.Hi != id.Hi {
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
	*s = stream[T]{streamState: streamState{ID: id, Output: out, Stale: true}, next: o.streams}
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
	t.outputs[i] = Output[T]{outputState: outputState{Start: start}}
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
		if !o.Refused {
			o.First = 0
		}
		t.Touched = append(t.Touched, i)
	}
	return o
}

// add records the interval of a point without a stream.
func (o *Output[T]) add(start, time pcommon.Timestamp) {
	o.changed, o.Merged = true, true
	o.latest, o.valued = max(o.latest, time), max(o.valued, time)
	if o.First == 0 || start < o.First {
		o.First = start
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
	live := !s.Stale
	alone := s.Unchanged && !t.outputs[s.Output].Merged
	newer := p.Time > s.Time || b.putRight(s.Time, p.Time)
	switch {
	case p.Stale && newer:
	case t.Temporality == Delta && !p.Stale:
		if (p.Time <= s.Time || p.Time > b.ahead) && t.intervals[i].has(p.Start, p.Time) {
			return false
		}
		t.intervals[i].add(p.Start, p.Time)
	case !newer || t.Temporality == Cumulative && !t.increment(b, s, p) && !alone:
		return false
	}
	o := t.touch(s.Output, p.Index)
	resumes := o.Waits && s.Unchanged
	if resumes {
		o.Waits, o.Start = false, p.Start
	}
	o.latest = max(o.latest, p.Time)
	o.Merged = o.Merged || !s.Unchanged
	if p.Stale && live && t.Temporality == Cumulative {
		s.Start = s.Time
	}
	if newer {
		o.current = o.current && p.Time > s.Time // else another stream may be the newest
		s.Time = p.Time
	}
	if p.Stale {
		if resumes {
			o.Start = p.Time // the other streams go on alone
		}
		o.ended = true
		if live {
			s.Stale = true
			o.live--
			if t.Temporality == Latest {
				o.changed = true
				t.updateLatest(s.Output, i, &s.last, true)
			}
		}
		return true
	}
	if newer && !live {
		s.Stale = false
		o.live++
	}
	o.changed = true
	o.ended = o.ended || o.live == 0 // a delta from before the end
	o.valued = max(o.valued, p.Time)
	switch t.Temporality {
	case Delta:
		if o.First == 0 || p.Start < o.First {
			o.First = p.Start
		}
		M(&o.total).Add(&p.Value)
	case Cumulative:
		M(&o.total).Add(&t.scratch)
		M(&s.last).Set(&p.Value)
	case Latest:
		s.Start = p.Start
		M(&t.scratch).Set(&s.last)
		M(&s.last).Set(&p.Value)
		t.updateLatest(s.Output, i, &t.scratch, live)
	}
	s.Known = true
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
	last, stated := s.Time, p.Start != s.Start
	if s.Stale {
		last, stated, s.Shared = s.Start, true, false
	}
	M(&t.scratch).Set(&p.Value)
	switch {
	case !s.Known && (b.started(p.Start, p.Time) > t.metric.Since && !s.Returned || b.proves(t.metric)), s.Known && stated && p.Start >= last, t.outputs[s.Output].Waits && s.Unchanged:
		M(&t.scratch).Sub(&t.zero)
		s.Shared = false
	case !s.Known:
		M(&t.scratch).Sub(&p.Value)
	case s.Stale:
		M(&t.scratch).Sub(&s.last)
	case s.Shared && p.Start < s.Start:
		return false
	default:
		reset := M(&t.scratch).Sub(&s.last)
		if s.Shared {
			return true
		}
		if reset && p.Start != s.Start && !b.putRight(last, p.Time) {
			earlier := p.Start < s.Start
			s.Shared, s.Start = true, s.Start/2+p.Start/2
			return !earlier
		}
	}
	s.Start = p.Start
	return true
}

func (t *Streams[T, M]) metricType() pmetric.MetricType { return t.Type }

func (t *Streams[T, M]) count() int { return t.index.count }

func (t *Streams[T, M]) knows(id attrhash.Hash) bool {
	_, ok := t.find(id)
	return ok
}

func (t *Streams[T, M]) empty() bool {
	return t.index.count == 0 && len(t.outputs) == len(t.freeOutputs)
}

func (t *Streams[T, M]) isFree(output uint32) bool { return t.outputs[output-1].Free }

func (t *Streams[T, M]) live(output uint32) int { return int(t.outputs[output-1].live) }

// sentAsCame records that the points of an output that is not merged are sent as they came.
func (t *Streams[T, M]) sentAsCame(b *Batch, o *Output[T]) {
	if o.latest > o.Time || b.putRight(o.Time, o.latest) {
		o.Time = o.latest
	}
	o.Emitted, o.current = true, false
	M(&o.total).Reset()
	for i := o.streams; i != 0; i = t.streams[i-1].next {
		s := &t.streams[i-1]
		if !s.Unchanged || !s.Known {
			continue
		}
		if t.Temporality != Delta && t.Type != pmetric.MetricTypeGauge && !s.Stale {
			o.Start = s.Start
		}
		if t.Temporality == Cumulative {
			M(&o.total).Set(&s.last)
			M(&o.total).Sub(&t.zero) // removes min and max, which no later interval can have
		}
	}
}
