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
func emit[D point, T any, M readable[D, T]](w *walk, at site, scope identity, f *family, t *tracker[T, M], kind *kind[D, T, M], all points[D]) {
	if kind.exemplars != nil {
		for i, what := range w.marks {
			if output, ok := what.output(); ok && what&markUnmerged == 0 && t.outputs[output].merged {
				o := &t.outputs[output]
				if from := kind.exemplars(all.At(i)); from.Len() > 0 {
					w.gatherExemplars(f, o.overflow, o.others, all.At(i).Attributes(), from, kind.exemplars(all.At(o.carrier)), i == o.carrier)
				}
			}
		}
	}
	for _, index := range t.touched {
		o := &t.outputs[index]
		o.touched = false
		if !o.merged {
			t.passed(o)
			continue
		}
		carrier := all.At(o.carrier)
		if !write(w, f, t, kind, index, carrier) {
			w.marks[o.carrier] = markRemove
			continue
		}
		w.rewrite(f, o.overflow, o.others, carrier.Attributes())
		ended := o.live == 0 && !carrier.Flags().NoRecordedValue() && o.ended
		var end D
		if ended {
			end = all.AppendEmpty()
			w.marks = append(w.marks, markKeep)
			carrier.Attributes().CopyTo(end.Attributes())
			writeEnd(t, end)
		}
		if w.window == nil {
			schedule(f, t, o, carrier, o.valued)
			if ended {
				schedule(f, t, o, end, o.latest)
			}
			continue
		}
		gather(w.window, f, scope, at, t, kind, o, carrier, o.valued)
		w.marks[o.carrier] = markRemove
		if ended {
			gather(w.window, f, scope, at, t, kind, o, end, o.latest)
			w.marks[len(w.marks)-1] = markRemove
		}
	}
	t.touched = t.touched[:0]
	if t.wide {
		t.current, t.increment, t.wide = t.nothing, t.nothing, false
	}
	i := -1
	all.RemoveIf(func(D) bool {
		i++
		what := w.marks[i]
		output, ok := what.output()
		if !ok || !t.outputs[output].merged {
			return what == markRemove
		}
		if what&markUnmerged != 0 {
			w.dropUnmerged(what)
			return true
		}
		return t.outputs[output].carrier != i
	})
}

// write writes what an output measured into the point that goes out for it. It
// returns false where there is nothing to say.
func write[D point, T any, M readable[D, T]](w *walk, f *family, t *tracker[T, M], kind *kind[D, T, M], index uint32, carrier D) bool {
	o := &t.outputs[index]
	if o.live == 0 && (!o.changed || t.temporality == latest) {
		if !o.emitted {
			return false
		}
		writeEnd(t, carrier)
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
	M(total).Write(carrier)
	carrier.SetFlags(pmetric.DefaultDataPointFlags)
	if kind.overflowed != nil && kind.overflowed(total) {
		w.overflows++
	}
	if bytes := outputBytes[T, M](&o.total); bytes > int(o.bytes) {
		f.service.charge(bytes - int(o.bytes))
		o.bytes = uint32(bytes)
	}
	if t.temporality == delta {
		// A window is sent later, and is kept as a whole when it is refused.
		if w.window == nil {
			M(&o.sent).Set(&o.total)
			o.batch, o.back = w.batch, false
			w.sent = append(w.sent, sentOutput{f, index})
		}
		M(&o.total).Reset()
	}
	return true
}

// writeEnd makes a point the marker that ends a series.
func writeEnd[D point, T any, M readable[D, T]](t *tracker[T, M], dp D) {
	M(&t.increment).Reset()
	M(&t.increment).Write(dp)
	dp.SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(true))
}

// schedule sets the times of an output's point: after the last, and without a gap
// where points tell what came in between.
func schedule[D point, T any, M measurement[T]](f *family, t *tracker[T, M], o *output[T], dp D, end pcommon.Timestamp) {
	start, last := o.start, f.ended
	if o.emitted {
		last = o.time
	}
	if last != 0 && end <= last {
		end = last + tick
	}
	o.before = 0
	if o.emitted {
		o.before = o.time
	}
	if !o.emitted && t.temporality != delta {
		// The sender's clock can be behind ours, or the point from before our start.
		o.start = min(o.start, end)
		start = o.start
	}
	if t.temporality == delta {
		start = max(o.first, f.ended)
		if o.emitted {
			start = o.time
		}
		start = min(start, end)
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
		attrs.RemoveIf(func(key string, _ pcommon.Value) bool { return f.plan.keys.drops(key) })
	}
	w.rewriteValues(attrs, others)
}

// maxExemplars bounds the exemplars of a merged point.
const maxExemplars = 8

// gatherExemplars brings a point's exemplars to the point that goes out for it.
// They keep the attributes that the point loses.
func (w *walk) gatherExemplars(f *family, overflow bool, others uint32, attrs pcommon.Map, from, to pmetric.ExemplarSlice, same bool) {
	if same {
		i := 0
		from.RemoveIf(func(pmetric.Exemplar) bool { i++; return i > maxExemplars })
	}
	for _, exemplar := range from.All() {
		if !same && to.Len() >= maxExemplars {
			return
		}
		for key, value := range attrs.All() {
			if overflow || f.plan.keys.drops(key) || w.becomesOther(key, value, others) {
				if filtered, exists := exemplar.FilteredAttributes().GetOrPutEmpty(key); !exists {
					value.CopyTo(filtered)
				}
			}
		}
		if !same {
			exemplar.MoveTo(to.AppendEmpty())
		}
	}
}
