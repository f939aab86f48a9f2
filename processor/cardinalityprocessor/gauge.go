package cardinalityprocessor

import (
	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/aggregate"
)

type numberTracker = tracker[aggregate.Number, *aggregate.Number]

// combiner makes an output's total of the latest points of its streams.
type combiner[T any, M measurement[T]] func(*tracker[T, M], *output[T], conventions.GaugeAggregate)

// combineLatest makes an output's total of the latest values of its live streams:
// their sum for sums that go up and down; for gauges, which have no natural one,
// what how says.
func combineLatest(t *numberTracker, o *output[aggregate.Number], how conventions.GaugeAggregate) {
	if !t.gauge {
		how = conventions.AggregateSum
	}
	if (how == "" || how == conventions.AggregateLast) && o.newest != 0 {
		o.total = t.streams[o.newest-1].last
		return
	}
	n, newest := 0, uint32(0)
	var total aggregate.Number
	for i := o.streams; i != 0; i = t.streams[i-1].next {
		s := &t.streams[i-1]
		if s.stale {
			continue
		}
		n++
		if newest == 0 || t.newer(i-1, newest-1) {
			newest = i
		}
		switch {
		case n == 1:
			total = s.last
		case how == conventions.AggregateMin && s.last.Less(&total), how == conventions.AggregateMax && total.Less(&s.last):
			total = s.last
		case how == conventions.AggregateSum || how == conventions.AggregateMean:
			total.Add(&s.last)
		}
	}
	switch how {
	case conventions.AggregateMean:
		total = aggregate.Double(total.Float() / float64(n))
	case conventions.AggregateLast, "":
		o.newest = newest
		total = t.streams[newest-1].last
	}
	o.total = total
}
