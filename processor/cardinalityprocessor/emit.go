package cardinalityprocessor

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// tick is how much later than the last point of a series one is that has to come
// after it, whatever its own time: the resolution of Prometheus.
const tick = pcommon.Timestamp(time.Millisecond)

// emit writes one point for each output that the metric at hand touched, in the
// place of the first of its points, and removes the others. Where nothing has
// been merged the points stay as they came.
func (p *pass[D, T, M]) emit() {
	w, t, all := p.w, p.t, p.all
	if p.exemplars {
		p.gatherExemplars()
	}
	for _, index := range t.touched {
		o := &t.outputs[index]
		o.touched = false
		if !o.merged {
			last, emitted := o.time, o.emitted
			t.passed(o)
			// Of other points the sender's repetition says it all.
			if t.temporality == delta {
				w.sent = append(w.sent, sentOutput{family: p.f, output: index, check: o.check, passed: true, emitted: emitted, last: last, end: o.time})
			}
			continue
		}
		carrier := all.At(o.carrier)
		value := p.keep(o)
		if !p.write(index, carrier) {
			w.marks[o.carrier] = markRemove
			continue
		}
		w.rewrite(p.f, o.overflow, o.others, carrier.Attributes())
		ended := o.live == 0 && !carrier.Flags().NoRecordedValue() && o.ended
		var end D
		if ended {
			end = all.AppendEmpty()
			w.marks = append(w.marks, markKeep)
			carrier.Attributes().CopyTo(end.Attributes())
			p.writeEnd(end)
		}
		if w.window == nil {
			sent := sentOutput{family: p.f, output: index, check: o.check, delta: value, emitted: o.emitted, last: o.time}
			p.schedule(o, carrier, o.valued)
			sent.start = carrier.StartTimestamp()
			if ended {
				p.schedule(o, end, o.latest)
			}
			sent.end, o.owed = o.time, false
			w.sent = append(w.sent, sent)
			continue
		}
		p.gather(o, carrier, o.valued)
		w.marks[o.carrier] = markRemove
		if ended {
			p.gather(o, end, o.latest)
			w.marks[len(w.marks)-1] = markRemove
		}
	}
	t.touched = t.touched[:0]
	if t.wide {
		t.current, t.increment, t.wide = t.nothing, t.nothing, false
	}
	for i, what := range w.marks {
		w.marks[i] = p.decide(i, what)
	}
}

// decide says whether a point goes out.
func (p *pass[D, T, M]) decide(i int, what mark) mark {
	output, ok := what.output()
	if !ok || !p.t.outputs[output].merged {
		return what
	}
	if what&markUnmerged != 0 {
		p.w.dropUnmerged(what)
		return markRemove
	}
	if p.t.outputs[output].carrier != i {
		return markRemove
	}
	return what
}

// keep keeps what a delta is about to send, in case it is refused. Points that no
// stream is known of would count again when they come again: with these it is lost.
// A window is kept as a whole.
func (p *pass[D, T, M]) keep(o *output[T]) sentDelta {
	if p.t.temporality != delta || p.w.window != nil || o.unknown {
		return nil
	}
	kept := &sentValue[T, M]{}
	M(&kept.value).Set(&o.total)
	return kept
}

// write writes what an output measured into the point that goes out for it. It
// returns false where there is nothing to say.
func (p *pass[D, T, M]) write(index uint32, carrier D) bool {
	w, f, t, kind := p.w, p.f, p.t, p.kind
	o := &t.outputs[index]
	if o.live == 0 && (!o.changed || t.temporality == latest) {
		if !o.emitted {
			return false
		}
		p.writeEnd(carrier)
		o.valued = o.latest
		return true
	}
	if !o.changed {
		return false // only some of the streams ended
	}
	total := &o.total
	if t.temporality == latest {
		o.valued = o.latest // what ended counts as well
		total = kind.combine(t, o)
	}
	kind.write(total, carrier)
	carrier.SetFlags(pmetric.DefaultDataPointFlags)
	if kind.overflowed != nil && kind.overflowed(total) {
		w.overflows++
	}
	if bytes := outputBytes[T, M](&o.total); bytes > int(o.bytes) {
		f.service.charge(bytes - int(o.bytes))
		o.bytes = uint32(bytes)
	}
	if t.temporality == delta {
		M(&o.total).Reset()
	}
	return true
}

// writeEnd makes a point the marker that ends a series.
func (p *pass[D, T, M]) writeEnd(dp D) {
	t := p.t
	M(&t.increment).Reset()
	p.kind.write(&t.increment, dp)
	dp.SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(true))
}

// schedule sets the times of an output's point: after the last, and without a gap
// where points tell what came in between.
func (p *pass[D, T, M]) schedule(o *output[T], dp D, end pcommon.Timestamp) {
	f, t := p.f, p.t
	start, last := o.start, f.ended
	if o.emitted {
		last = o.time
	}
	if last != 0 && end <= last {
		end = last + tick
	}
	switch {
	case t.temporality == delta && o.emitted:
		start = o.time
	case t.temporality == delta:
		start = min(max(o.first, f.ended), end)
	case !o.emitted:
		// The sender's clock can be behind ours, or the point from before our start.
		o.start = min(o.start, end)
		start = o.start
	}
	dp.SetStartTimestamp(start)
	dp.SetTimestamp(end)
	o.time, o.emitted = end, true
}

// rewrite makes a point's attributes those of its output.
func (w *walk) rewrite(f *family, overflow bool, others uint32, attrs pcommon.Map) {
	if overflow {
		attrs.Clear()
		attrs.PutBool(overflowKey, true)
		return
	}
	if f.plan.keys.any() {
		w.dropKeys(f.plan.keys, attrs)
	}
	w.rewriteValues(attrs, others)
}

// maxExemplars bounds the exemplars of a merged point.
const maxExemplars = 8

// gatherExemplars brings the exemplars of merged points to those that go out. They
// keep the attributes that their points lose.
func (p *pass[D, T, M]) gatherExemplars() {
	for i, what := range p.w.marks {
		output, ok := what.output()
		if !ok || what&markUnmerged != 0 || !p.t.outputs[output].merged {
			continue
		}
		o, dp := &p.t.outputs[output], p.all.At(i)
		from := p.kind.exemplars(dp)
		if from.Len() == 0 {
			continue
		}
		to := p.kind.exemplars(p.all.At(o.carrier))
		room := maxExemplars - to.Len()
		if i == o.carrier {
			room = maxExemplars
		}
		n := 0
		from.RemoveIf(func(pmetric.Exemplar) bool { n++; return n > room })
		lost := p.w.lost(p.f, o.overflow, o.others, dp.Attributes())
		for _, exemplar := range from.All() {
			for key, value := range lost.All() {
				if filtered, exists := exemplar.FilteredAttributes().GetOrPutEmpty(key); !exists {
					value.CopyTo(filtered)
				}
			}
		}
		if i != o.carrier {
			from.MoveAndAppendTo(to)
		}
	}
}

// lost are the attributes that a point does not keep in its output.
func (w *walk) lost(f *family, overflow bool, others uint32, attrs pcommon.Map) pcommon.Map {
	lost := pcommon.NewMap()
	attrs.CopyTo(lost)
	lost.RemoveIf(func(key string, value pcommon.Value) bool {
		return !overflow && !f.plan.keys.drops(key) && !w.becomesOther(key, value, others)
	})
	return lost
}
