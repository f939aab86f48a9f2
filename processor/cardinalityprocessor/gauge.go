package cardinalityprocessor

import (
	"math"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
)

type (
	numberTracker = tracker[aggregate.Number, *aggregate.Number]
	numberOutput  = output[aggregate.Number]
)

// An output of gauges, or of sums that go up and down, is made of the latest values
// of its live streams: of their sum or mean, or of the one stream that decides,
// because it is the newest, the least or the greatest. Both are kept up to date
// point by point, and found anew where that is not possible.

// added tells whether the values of an output's streams are added up.
func added(t *numberTracker) bool {
	return t.how == conventions.AggregateSum || t.how == conventions.AggregateMean
}

// follow brings an output up to date with a point of stream i, which had a value
// before, if was, and has another now, if it has not ended.
func follow(t *numberTracker, o *numberOutput, i uint32, before *aggregate.Number, was bool) {
	s := &t.streams[i]
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

// decides tells whether stream i decides rather than j.
func decides(t *numberTracker, i, j uint32) bool {
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

// combine returns what an output with live streams has come to.
func combine(t *numberTracker, o *numberOutput) *aggregate.Number {
	if !o.current {
		find(t, o)
	}
	switch {
	case t.how == conventions.AggregateMean:
		t.increment = aggregate.Double(o.total.Float() / float64(o.live))
		return &t.increment
	case added(t):
		return &o.total
	default:
		return &t.streams[o.decider-1].last
	}
}

// find looks at all streams of an output.
func find(t *numberTracker, o *numberOutput) {
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
