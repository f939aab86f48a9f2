package series

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
)

// tick is how much later than the last point of a series one is that has to come after it,
// whatever its own time: the resolution of Prometheus.
const tick = pcommon.Timestamp(time.Millisecond)

// Emission is what goes out for an output, in the place of its first point.
type Emission[T any] struct {
	Output   *Output[T]
	AsCame   bool // nothing has been merged: its points go out as they came
	None     bool // there is nothing to say
	Value    *T   // nil for a stale marker
	Interval      // unless Gathered
	Latest   pcommon.Timestamp
	// End: a stale marker follows.
	End       bool
	EndOf     Interval
	EndLatest pcommon.Timestamp
}

// Interval is the times of a point that goes out.
type Interval struct{ Start, Time pcommon.Timestamp }

// Emit returns what goes out for an output that the batch touched.
func (t *Streams[T, M]) Emit(b *Batch, index uint32) Emission[T] {
	o := &t.outputs[index]
	e := Emission[T]{Output: o}
	gathered := t.metric.service.store.Gathered
	o.touched = false
	sent := Sent{metric: t.metric, output: index, check: o.check, emitted: o.emitted, last: o.Time}
	if !o.merged {
		t.sentAsCame(o)
		// Of other points the sender's repetition says it all.
		if t.Temporality == Delta {
			sent.asCame, sent.end = true, o.Time
			b.Sent = append(b.Sent, sent)
		}
		e.AsCame = true
		return e
	}
	if t.Temporality == Delta && !gathered && !o.unknown {
		// It is kept, in case it is refused. Points that no stream is known of would
		// count again when they come again: with these it is lost. A window is kept as
		// a whole.
		kept := &sentValue[T, M]{}
		M(&kept.value).Set(&o.total)
		sent.delta = kept
	}
	if !t.total(b, o, &e) {
		e.None = true
		return e
	}
	e.Latest, e.EndLatest = o.valued, o.latest
	e.End = o.live == 0 && e.Value != nil && o.ended
	if gathered {
		return e
	}
	e.Interval = t.Schedule(o, e.Latest)
	sent.start = e.Start
	if e.End {
		e.EndOf = t.Schedule(o, e.EndLatest)
	}
	sent.end, o.owed = o.Time, false
	b.Sent = append(b.Sent, sent)
	return e
}

// total says what an output has come to. It reports whether there is something to say.
func (t *Streams[T, M]) total(b *Batch, o *Output[T], e *Emission[T]) bool {
	if o.live == 0 && (!o.changed || t.Temporality == Latest) {
		o.valued = o.latest
		return o.emitted
	}
	if !o.changed {
		return false // only some of the streams ended
	}
	e.Value = &o.total
	if t.Temporality == Latest {
		o.valued = o.latest // what ended counts as well
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

// Schedule returns the times of an output's next point: after the last, and without a gap
// where points say what came in between.
func (t *Streams[T, M]) Schedule(o *Output[T], end pcommon.Timestamp) Interval {
	ended := t.metric.ended
	start, last := o.start, ended
	if o.emitted {
		last = o.Time
	}
	if last != 0 && end <= last {
		end = last + tick
	}
	switch {
	case t.Temporality == Delta && o.emitted:
		start = o.Time
	case t.Temporality == Delta:
		start = min(max(o.first, ended), end)
	case !o.emitted:
		// The sender's clock can be behind ours, or the point from before our start.
		o.start = min(o.start, end)
		start = o.start
	}
	o.Time, o.emitted = end, true
	return Interval{start, end}
}

// Merged returns the output that a point was merged into, if it was.
func (t *Streams[T, M]) Merged(outcome Outcome) (*Output[T], bool) {
	output, ok := outcome.output()
	if !ok || outcome&unmerged != 0 || !t.outputs[output].merged {
		return nil, false
	}
	return &t.outputs[output], true
}

// Decide returns whether a point goes out, now that all points of the batch are observed.
func (t *Streams[T, M]) Decide(b *Batch, index int, outcome Outcome) Outcome {
	output, ok := outcome.output()
	if !ok {
		return outcome
	}
	switch o := &t.outputs[output]; {
	case !o.merged:
		return Keep
	case outcome&unmerged != 0:
		b.dropUnmerged(outcome)
		return Drop
	case o.Point != index:
		return Drop
	default:
		return Keep
	}
}

// maxScratch bounds the memory that is kept for the point at hand, in bytes.
const maxScratch = 1 << 12

// Done ends a batch of the metric's points. It reports whether one of them was so wide that
// its memory is not kept.
func (t *Streams[T, M]) Done() (wide bool) {
	wide = t.wide
	if wide {
		t.scratch, t.wide = t.nothing, false
	}
	t.Touched = t.Touched[:0]
	return wide
}
