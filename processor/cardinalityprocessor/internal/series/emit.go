// SPDX-License-Identifier: Apache-2.0

package series

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
)

// tick is the least distance between two points of an output: the resolution of Prometheus.
const tick = pcommon.Timestamp(time.Millisecond)

// Emission is the point that replaces the points of an output in a batch.
type Emission[T any] struct {
	Output *Output[T]
	AsCame bool // the output is not merged: its points are sent as they came
	None   bool // no point is sent
	Value  *T   // nil for a stale marker
	Interval
	// End: a stale marker follows, with these times.
	End   bool
	EndOf Interval
}

// Interval is the start and the time of a point that is sent.
type Interval struct{ Start, Time pcommon.Timestamp }

// Emit returns what to send for an output of the batch.
func (t *Streams[T, M]) Emit(b *Batch, index uint32) Emission[T] {
	o := &t.outputs[index]
	e := Emission[T]{Output: o}
	o.touched = false
	sent := Sent{metric: t.metric, output: index, check: o.Check, emitted: o.Emitted, last: o.Time}
	if !o.Merged {
		t.sentAsCame(b, o)
		// The sender repeats the points. Those of deltas must not be late then.
		if t.Temporality == Delta {
			sent.asCame, sent.end = true, o.Time
			b.Sent = append(b.Sent, sent)
		}
		e.AsCame = true
		return e
	}
	if t.Temporality == Delta && !o.unknown {
		// The value is kept in case the batch is refused. Points without a stream count
		// again when the sender repeats them, so with these it is not kept.
		kept := &sentValue[T, M]{}
		M(&kept.value).Set(&o.total)
		sent.delta = kept
	}
	if o.Waits || !t.total(b, o, &e) {
		e.None = true
		return e
	}
	e.End = o.live == 0 && e.Value != nil && o.ended
	e.Interval = t.schedule(b, o, min(o.valued, b.ahead))
	sent.start = e.Start
	if e.End {
		e.EndOf = t.schedule(b, o, min(o.latest, b.ahead))
	}
	sent.end, o.Refused = o.Time, false
	b.Sent = append(b.Sent, sent)
	return e
}

// sentAsCame records that the points of an output that is not merged are sent as they came.
func (t *Streams[T, M]) sentAsCame(b *Batch, o *Output[T]) {
	if o.latest > o.Time || b.putRight(o.Time, o.latest) {
		o.Time = o.latest
	}
	o.Emitted = true
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

// total sets the value of the emission, or none for a stale marker. It reports whether there
// is a point to send.
func (t *Streams[T, M]) total(b *Batch, o *Output[T], e *Emission[T]) bool {
	if o.live == 0 && (!o.changed || t.Temporality == Latest) {
		o.valued = o.latest
		return o.Emitted
	}
	if !o.changed {
		return false // only some of the streams ended
	}
	e.Value = &o.total
	if t.Temporality == Latest {
		o.valued = o.latest // the end of a stream changes the value too
		e.Value = t.combine(o)
	}
	if n, ok := any(e.Value).(*aggregate.Number); ok && n.Overflowed {
		b.Overflows++
	}
	if bytes := outputBytes[T, M](&o.total); bytes > int(o.bytes) {
		t.metric.service.charge(bytes - int(o.bytes))
		o.bytes = uint32(bytes)
	}
	if t.Temporality == Delta {
		M(&t.scratch).Set(&o.total)
		e.Value = &t.scratch
		M(&o.total).Reset()
	}
	return true
}

// schedule returns the interval of an output's next point and records it. The time is after
// the last point's. The start of a delta is the last point's time.
func (t *Streams[T, M]) schedule(b *Batch, o *Output[T], end pcommon.Timestamp) Interval {
	emitted, last := o.Emitted, t.metric.Ended
	if emitted {
		last = o.Time
	}
	if last > b.ahead+pcommon.Timestamp(tolerance) {
		emitted, last = false, 0 // it was sent as it came, with a wrong time
	}
	if last != 0 && end <= last {
		end = last + tick
	}
	start := o.Start
	switch {
	case t.Temporality == Delta && emitted:
		start = last
	case t.Temporality == Delta:
		start = min(max(o.First, last), end)
	case !emitted:
		// The sender's clock can be slow, or the point older than this process.
		o.Start = min(o.Start, end)
		start = o.Start
	}
	o.Time, o.Emitted = end, true
	return Interval{start, end}
}

// Merged returns the output that a point was merged into, if any.
func (t *Streams[T, M]) Merged(outcome Outcome) (*Output[T], bool) {
	output, ok := outcome.output()
	if !ok || outcome&unmerged != 0 || !t.outputs[output].Merged {
		return nil, false
	}
	return &t.outputs[output], true
}

// Decide returns Keep or Drop for the point with an index and an outcome of Observe. It is
// called after all points of the batch.
func (t *Streams[T, M]) Decide(b *Batch, index int, outcome Outcome) Outcome {
	output, ok := outcome.output()
	if !ok {
		return outcome
	}
	switch o := &t.outputs[output]; {
	case !o.Merged:
		return Keep
	case outcome&unmerged != 0:
		b.dropUnmerged(outcome)
		return Drop
	case int(o.Point) != index:
		return Drop
	default:
		return Keep
	}
}

// maxScratch is the memory, in bytes, that a point may keep allocated after its batch.
const maxScratch = 1 << 12

// Done ends a batch. It reports whether a point was larger than maxScratch, so that the
// caller releases its memory too.
func (t *Streams[T, M]) Done(b *Batch) (large bool) {
	t.forget(b)
	if t.missed {
		t.metric.miss(b)
	}
	large = t.large
	if large {
		t.scratch, t.large = t.zero, false
	}
	t.Touched, t.passed, t.missed = t.Touched[:0], 0, false
	return large
}
