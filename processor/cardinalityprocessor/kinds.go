package cardinalityprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
)

// kind is what differs between points of different kinds, besides what they
// measure.
type kind[D point, T any, M measurement[T]] struct {
	points    func(pmetric.Metric) points[D]
	empty     func(pmetric.Metric) // makes it a metric of the kind
	move      func(from, to D)
	size      func(D) int                   // encoded
	exemplars func(D) pmetric.ExemplarSlice // nil: it has none
	// What becomes of latest values, as in gauge.go; nil where there are only deltas and
	// cumulative streams.
	following  func(t *tracker[T, M], o *output[T], i uint32, before *T, was bool)
	combine    func(t *tracker[T, M], o *output[T]) *T
	lesser     func(a, b *T) bool // nil: there is no order
	overflowed func(*T) bool      // a sum of integers that became floating point; may be nil
	summary    bool

	head  func(D) head
	read  func(*T, D) bool // false: nothing can be made of the point
	write func(*T, D)
}

// head is what all points have, besides attributes and what they measured. It is read
// at once by code of one kind, into which pdata's is inlined; generic code would call it
// for each value.
type head struct {
	start, time pcommon.Timestamp
	stale       bool // it has no value
	exemplars   bool // it has some
}

var (
	gauges     = numberKind(func(m pmetric.Metric) { m.SetEmptyGauge() }, func(m pmetric.Metric) points[pmetric.NumberDataPoint] { return m.Gauge().DataPoints() })
	sums       = numberKind(func(m pmetric.Metric) { m.SetEmptySum() }, func(m pmetric.Metric) points[pmetric.NumberDataPoint] { return m.Sum().DataPoints() })
	histograms = &kind[pmetric.HistogramDataPoint, aggregate.Histogram, *aggregate.Histogram]{
		empty:  func(m pmetric.Metric) { m.SetEmptyHistogram() },
		points: func(m pmetric.Metric) points[pmetric.HistogramDataPoint] { return m.Histogram().DataPoints() },
		head: func(dp pmetric.HistogramDataPoint) head {
			return head{dp.StartTimestamp(), dp.Timestamp(), dp.Flags().NoRecordedValue(), dp.Exemplars().Len() > 0}
		},
		move:      pmetric.HistogramDataPoint.MoveTo,
		read:      (*aggregate.Histogram).Read,
		write:     (*aggregate.Histogram).Write,
		size:      sizes.HistogramDataPointSize,
		exemplars: pmetric.HistogramDataPoint.Exemplars,
	}
	exponentials = &kind[pmetric.ExponentialHistogramDataPoint, aggregate.Exponential, *aggregate.Exponential]{
		empty: func(m pmetric.Metric) { m.SetEmptyExponentialHistogram() },
		points: func(m pmetric.Metric) points[pmetric.ExponentialHistogramDataPoint] {
			return m.ExponentialHistogram().DataPoints()
		},
		head: func(dp pmetric.ExponentialHistogramDataPoint) head {
			return head{dp.StartTimestamp(), dp.Timestamp(), dp.Flags().NoRecordedValue(), dp.Exemplars().Len() > 0}
		},
		move:      pmetric.ExponentialHistogramDataPoint.MoveTo,
		read:      (*aggregate.Exponential).Read,
		write:     (*aggregate.Exponential).Write,
		size:      sizes.ExponentialHistogramDataPointSize,
		exemplars: pmetric.ExponentialHistogramDataPoint.Exemplars,
	}
	summaries = &kind[pmetric.SummaryDataPoint, aggregate.Summary, *aggregate.Summary]{
		empty:  func(m pmetric.Metric) { m.SetEmptySummary() },
		points: func(m pmetric.Metric) points[pmetric.SummaryDataPoint] { return m.Summary().DataPoints() },
		head: func(dp pmetric.SummaryDataPoint) head {
			return head{dp.StartTimestamp(), dp.Timestamp(), dp.Flags().NoRecordedValue(), false}
		},
		move:    pmetric.SummaryDataPoint.MoveTo,
		read:    (*aggregate.Summary).Read,
		write:   (*aggregate.Summary).Write,
		size:    sizes.SummaryDataPointSize,
		summary: true,
	}
)

func numberKind(empty func(pmetric.Metric), of func(pmetric.Metric) points[pmetric.NumberDataPoint]) *kind[pmetric.NumberDataPoint, aggregate.Number, *aggregate.Number] {
	return &kind[pmetric.NumberDataPoint, aggregate.Number, *aggregate.Number]{
		empty:      empty,
		points:     of,
		head:       numberHead,
		move:       pmetric.NumberDataPoint.MoveTo,
		read:       (*aggregate.Number).Read,
		write:      (*aggregate.Number).Write,
		size:       sizes.NumberDataPointSize,
		exemplars:  pmetric.NumberDataPoint.Exemplars,
		combine:    combine,
		following:  follow,
		lesser:     (*aggregate.Number).Less,
		overflowed: func(n *aggregate.Number) bool { return n.Overflowed },
	}
}

// numberHead is no closure of numberKind: nothing is inlined into those.
func numberHead(dp pmetric.NumberDataPoint) head {
	return head{dp.StartTimestamp(), dp.Timestamp(), dp.Flags().NoRecordedValue(), dp.Exemplars().Len() > 0}
}

// kindOf is what a tracker needs of its kind.
type kindOf[T any, M measurement[T]] interface {
	save(*tracker[T, M]) *trackerState
	follow(t *tracker[T, M], o *output[T], i uint32, before *T, was bool)
}

// less orders the values of numbers; other measurements have no order.
func (k *kind[D, T, M]) less(a, b *T) bool { return k.lesser != nil && k.lesser(a, b) }

func (k *kind[D, T, M]) save(t *tracker[T, M]) *trackerState { return save(t, k) }

func (k *kind[D, T, M]) follow(t *tracker[T, M], o *output[T], i uint32, before *T, was bool) {
	k.following(t, o, i, before, was)
}
