// SPDX-License-Identifier: Apache-2.0

package series

import (
	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
)

// Numbers are streams of numbers. Only these can have the temporality Latest.
type Numbers = Streams[aggregate.Number, *aggregate.Number]

// combine returns the value of an output of gauges, or of sums that are not monotonic, with live streams. It is the sum
// or the mean of their latest values, or the newest, the least or the greatest of these.
func (t *Streams[T, M]) combine(o *Output[T]) *T {
	return any(combine(any(t).(*Numbers), any(o).(*Output[aggregate.Number]))).(*T)
}

func combine(t *Numbers, o *Output[aggregate.Number]) *aggregate.Number {
	var decider *stream[aggregate.Number]
	live := 0
	o.total.Reset()
	for i := o.streams; i != 0; i = t.streams[i-1].next {
		s := &t.streams[i-1]
		if s.Stale {
			continue
		}
		live++
		o.total.Add(&s.last)
		if decider == nil || precedes(t.combineBy, s, decider) {
			decider = s
		}
	}
	switch t.combineBy {
	case conventions.AggregateSum:
		return &o.total
	case conventions.AggregateMean:
		t.scratch = aggregate.Double(o.total.Float() / float64(live))
		return &t.scratch
	default:
		return &decider.last
	}
}

// precedes reports whether stream a has the value of an output of both, and not stream b.
func precedes(by conventions.GaugeAggregate, a, b *stream[aggregate.Number]) bool {
	switch {
	case by == conventions.AggregateMin:
		return a.last.Less(&b.last)
	case by == conventions.AggregateMax:
		return b.last.Less(&a.last)
	case a.Time != b.Time:
		return a.Time > b.Time
	default:
		// The result must not depend on the order of points or on a restart.
		return b.last.Less(&a.last)
	}
}
