// SPDX-License-Identifier: Apache-2.0

package series

import (
	"math"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
)

// Numbers are streams of numbers. Only these can have the temporality Latest.
type Numbers = Streams[aggregate.Number, *aggregate.Number]

// The value of an output of gauges, or of sums that are not monotonic, is computed from the
// latest values of its live streams. It is their sum or mean, or the value of one stream,
// the decider: the newest, the least or the greatest. Each point updates the value. If that
// is not possible, combine computes it again from all streams.

// updateLatest updates an output after a point of stream i. Before is the stream's previous value;
// was reports whether that value counted.
func (t *Streams[T, M]) updateLatest(output, i uint32, before *T, was bool) {
	update(any(t).(*Numbers), output, i, any(before).(*aggregate.Number), was)
}

// combine returns the value of an output with live streams.
func (t *Streams[T, M]) combine(o *Output[T]) *T {
	return any(combine(any(t).(*Numbers), any(o).(*Output[aggregate.Number]))).(*T)
}

// added reports whether the values of an output's streams are added up.
func added(t *Numbers) bool {
	return t.combineBy == conventions.AggregateSum || t.combineBy == conventions.AggregateMean
}

func update(t *Numbers, output, i uint32, before *aggregate.Number, was bool) {
	s, o := &t.streams[i], &t.outputs[output]
	switch {
	case added(t):
		if was {
			o.total.Remove(before)
		}
		if !s.Stale {
			o.total.Add(&s.last)
		}
		// Rounding errors of floating-point numbers add up, and removing a great value
		// loses the digits of small ones. So the sum is computed again after a great
		// value, and after as many points as there are streams.
		o.steps++
		great := was && math.Abs(before.Float()) > 1<<20*math.Abs(o.total.Float())
		if o.total.Overflowed || o.total.Double && (o.steps > o.live || great) {
			o.current = false
		}
	case o.decider == i+1:
		worse := t.combineBy == conventions.AggregateMin && before.Less(&s.last) || t.combineBy == conventions.AggregateMax && s.last.Less(before)
		o.current = o.current && !s.Stale && !worse
	case !s.Stale && o.current && decides(t, i, o.decider-1):
		o.decider = i + 1
	}
}

// decides reports whether stream i precedes stream j as the decider.
func decides(t *Numbers, i, j uint32) bool {
	a, b := &t.streams[i], &t.streams[j]
	switch {
	case t.combineBy == conventions.AggregateMin:
		return a.last.Less(&b.last)
	case t.combineBy == conventions.AggregateMax:
		return b.last.Less(&a.last)
	case a.Time != b.Time:
		return a.Time > b.Time
	default:
		// The result must not depend on the order of points or on a restart.
		return b.last.Less(&a.last)
	}
}

func combine(t *Numbers, o *Output[aggregate.Number]) *aggregate.Number {
	if !o.current {
		recompute(t, o)
	}
	switch {
	case t.combineBy == conventions.AggregateMean:
		t.scratch = aggregate.Double(o.total.Float() / float64(o.live))
		return &t.scratch
	case added(t):
		return &o.total
	default:
		return &t.streams[o.decider-1].last
	}
}

// recompute computes the total and the decider from all streams of an output.
func recompute(t *Numbers, o *Output[aggregate.Number]) {
	o.current, o.steps, o.decider = true, 0, 0
	o.total.Reset()
	for i := o.streams; i != 0; i = t.streams[i-1].next {
		if t.streams[i-1].Stale {
			continue
		}
		o.total.Add(&t.streams[i-1].last)
		if o.decider == 0 || decides(t, i-1, o.decider-1) {
			o.decider = i
		}
	}
}
