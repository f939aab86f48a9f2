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

	// What the current batch has for the output.
	Point    int32 // the index of the point that replaces all
	Replaced plan.Replaced
	latest   pcommon.Timestamp // the latest time
	valued   pcommon.Timestamp // the latest time of a point with a value
	touched  bool
	changed  bool // by more than stale markers
	ended    bool // a stream ended
	unknown  bool // there were points without a stream
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
func StreamsOf[T any, M Measurement[T]](m *Metric, kind pmetric.MetricType, temporality Temporality) *Streams[T, M] {
	if known, ok := m.streams.(*Streams[T, M]); ok {
		return known
	}
	t := &Streams[T, M]{metric: m, Type: kind, Temporality: temporality, combineBy: conventions.AggregateSum}
	switch kind {
	case pmetric.MetricTypeGauge:
		t.combineBy = m.Plan().Gauge
	case pmetric.MetricTypeSummary:
		t.unmergeable, t.quantiles = m.Plan().DropSummary, true
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

func (t *Streams[T, M]) sent() (last pcommon.Timestamp) {
	for i := range t.outputs {
		if o := &t.outputs[i]; !o.Free {
			last = max(last, o.Time)
		}
	}
	return last
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

func (t *Streams[T, M]) expire(oldest uint32, expired func(key uint64, last pcommon.Timestamp, merged bool)) (ended pcommon.Timestamp, bytes, lost int) {
	t.index.keep(func(e *entry) bool {
		s := &t.streams[e.Ref]
		if s.Seen >= oldest {
			return true
		}
		expired(e.Key, s.Time, t.outputs[s.Output].Merged)
		bytes += int(s.bytes)
		t.removeStream(e.Ref)
		return false
	})
	for i := range t.outputs {
		if o := &t.outputs[i]; o.Waits && o.seen < oldest {
			o.Waits, o.Start = false, pcommon.NewTimestampFromTime(t.metric.service.store.epochTime(oldest))
		}
		if o := &t.outputs[i]; o.streams == 0 && o.seen < oldest && !o.Free {
			ended = max(ended, o.Time)
			bytes += int(o.bytes)
			if o.Refused {
				lost++
			}
			o.Free, o.total = true, t.zero
			t.freeOutputs = append(t.freeOutputs, uint32(i))
		}
	}
	t.compactRests()
	return ended, bytes, lost
}

// compactRests removes the rests of removed outputs.
func (t *Streams[T, M]) compactRests() {
	var kept []rest[T]
	for i := range t.outputs {
		if o := &t.outputs[i]; o.rest != 0 && !o.Free {
			kept = append(kept, t.rests[o.rest-1])
			o.rest = uint32(len(kept))
		}
	}
	t.rests = kept
}

// removeStream removes a stream from its output's list. The caller removes it from the index.
func (t *Streams[T, M]) removeStream(i uint32) {
	s := &t.streams[i]
	o := &t.outputs[s.Output]
	if s.prev != 0 {
		t.streams[s.prev-1].next = s.next
	} else {
		o.streams = s.next
	}
	if s.next != 0 {
		t.streams[s.next-1].prev = s.prev
	}
	if !s.Stale {
		o.live--
	}
	s.Free = true
	s.last = t.zero // releases the buckets
	t.freeStreams = append(t.freeStreams, i)
}

// roomy reports whether over half of a slice is unused.
func roomy(used, size int) bool { return size > 2*used+minSlots }

// compact copies the streams and outputs to smaller slices once more than half of either
// is unused.
func (t *Streams[T, M]) compact() (moved []uint32) {
	streams, outputs := len(t.streams)-len(t.freeStreams), len(t.outputs)-len(t.freeOutputs)
	if !roomy(streams, cap(t.streams)) && !roomy(outputs, cap(t.outputs)) {
		return nil
	}
	// Both maps go to numbers from 1, where 0 means none. movedStreams is also indexed from 1.
	movedStreams := make([]uint32, len(t.streams)+1)
	kept := make([]stream[T], 0, streams)
	var keptIntervals []intervals
	for i := range t.streams {
		if !t.streams[i].Free {
			kept = append(kept, t.streams[i])
			movedStreams[i+1] = uint32(len(kept))
			if t.Temporality == Delta {
				keptIntervals = append(keptIntervals, t.intervals[i])
			}
		}
	}
	moved = make([]uint32, len(t.outputs))
	keptOutputs := make([]Output[T], 0, outputs)
	for i := range t.outputs {
		if o := &t.outputs[i]; !o.Free {
			keptOutputs = append(keptOutputs, *o)
			moved[i] = uint32(len(keptOutputs))
		}
	}
	for i := range kept {
		s := &kept[i]
		s.Output = moved[s.Output] - 1
		s.prev, s.next = movedStreams[s.prev], movedStreams[s.next]
	}
	for i := range keptOutputs {
		o := &keptOutputs[i]
		o.streams = movedStreams[o.streams]
	}
	for i := range t.index.slots {
		if e := &t.index.slots[i]; e.Key != 0 {
			e.Ref = movedStreams[e.Ref+1] - 1
		}
	}
	t.streams, t.intervals, t.outputs, t.freeStreams, t.freeOutputs = kept, keptIntervals, keptOutputs, nil, nil
	return moved
}
