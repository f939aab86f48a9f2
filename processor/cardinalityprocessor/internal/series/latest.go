package series

import (
	"math"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
)

// Numbers are streams of numbers, which alone have latest values.
type Numbers = Streams[aggregate.Number, *aggregate.Number]

// An output of gauges, or of sums that go up and down, is made of the latest values
// of its live streams: of their sum or mean, or of the one stream that decides,
// because it is the newest, the least or the greatest. Both are kept up to date
// point by point, and found anew where that is not possible.

// follow brings an output up to date with a point of stream i, which had a value
// before, if was, and has another now, if it has not ended.
func (t *Streams[T, M]) follow(output, i uint32, before *T, was bool) {
	follow(any(t).(*Numbers), output, i, any(before).(*aggregate.Number), was)
}

// combine returns what an output with live streams has come to.
func (t *Streams[T, M]) combine(o *Output[T]) *T {
	return any(combine(any(t).(*Numbers), any(o).(*Output[aggregate.Number]))).(*T)
}

// added reports whether the values of an output's streams are added up.
func added(t *Numbers) bool {
	return t.how == conventions.AggregateSum || t.how == conventions.AggregateMean
}

func follow(t *Numbers, output, i uint32, before *aggregate.Number, was bool) {
	s, o := &t.streams[i], &t.outputs[output]
	switch {
	case added(t):
		if was {
			o.total.Remove(before)
		}
		if !s.stale {
			o.total.Add(&s.last)
		}
		// Floating point drifts, and a great value that goes takes the small ones along:
		// then, and after as many points as there are streams, the sum is made anew.
		o.steps++
		great := was && math.Abs(before.Float()) > 1<<20*math.Abs(o.total.Float())
		if o.total.Overflowed || o.total.Double && (o.steps > o.live || great) {
			o.current = false
		}
	case o.decider == i+1:
		worse := t.how == conventions.AggregateMin && before.Less(&s.last) || t.how == conventions.AggregateMax && s.last.Less(before)
		o.current = o.current && !s.stale && !worse
	case !s.stale && o.current && decides(t, i, o.decider-1):
		o.decider = i + 1
	}
}

// decides reports whether stream i decides rather than j.
func decides(t *Numbers, i, j uint32) bool {
	a, b := &t.streams[i], &t.streams[j]
	switch {
	case t.how == conventions.AggregateMin:
		return a.last.Less(&b.last)
	case t.how == conventions.AggregateMax:
		return b.last.Less(&a.last)
	case a.time != b.time:
		return a.time > b.time
	default:
		// Neither the order of points nor a restart decides.
		return b.last.Less(&a.last)
	}
}

func combine(t *Numbers, o *Output[aggregate.Number]) *aggregate.Number {
	if !o.current {
		find(t, o)
	}
	switch {
	case t.how == conventions.AggregateMean:
		t.scratch = aggregate.Double(o.total.Float() / float64(o.live))
		return &t.scratch
	case added(t):
		return &o.total
	default:
		return &t.streams[o.decider-1].last
	}
}

// find looks at all streams of an output.
func find(t *Numbers, o *Output[aggregate.Number]) {
	o.current, o.steps, o.decider = true, 0, 0
	o.total.Reset()
	for i := o.streams; i != 0; i = t.streams[i-1].next {
		if t.streams[i-1].stale {
			continue
		}
		o.total.Add(&t.streams[i-1].last)
		if o.decider == 0 || decides(t, i-1, o.decider-1) {
			o.decider = i
		}
	}
}
