// Package kind says what differs between data points of different types, besides what they
// measure.
package kind

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// Point is what data points of all types have.
type Point interface {
	Attributes() pcommon.Map
	StartTimestamp() pcommon.Timestamp
	SetStartTimestamp(pcommon.Timestamp)
	Timestamp() pcommon.Timestamp
	SetTimestamp(pcommon.Timestamp)
	Flags() pmetric.DataPointFlags
	SetFlags(pmetric.DataPointFlags)
}

// Points is the points of a metric of any type.
type Points[D Point] interface {
	Len() int
	At(int) D
	RemoveIf(func(D) bool)
	AppendEmpty() D
}

// Kind is what differs between data points of different types.
type Kind[D Point, T any, M series.Measurement[T]] struct {
	Points    func(pmetric.Metric) Points[D]
	Empty     func(pmetric.Metric) // makes it a metric of the kind
	Head      func(D) Head
	Read      func(*T, D) bool // false: nothing can be made of the point
	Write     func(*T, D)
	Move      func(from, to D)
	Size      func(D) int                   // encoded
	Exemplars func(D) pmetric.ExemplarSlice // nil: it has none
	Negative  func(*T) bool                 // nil: a value is never negative
}

// Head is what all points have, besides attributes and what they measured. It is read at
// once by code of one kind, into which pdata's is inlined; generic code would call it for
// each value.
type Head struct {
	Start, Time pcommon.Timestamp
	Stale       bool // it has no value
	Exemplars   bool // it has some
}

// Sizes returns the encoded size of things, which stands for what they take.
var Sizes pmetric.ProtoMarshaler

// The kinds.
var (
	Gauges     = numbers(func(m pmetric.Metric) { m.SetEmptyGauge() }, func(m pmetric.Metric) Points[pmetric.NumberDataPoint] { return m.Gauge().DataPoints() })
	Sums       = numbers(func(m pmetric.Metric) { m.SetEmptySum() }, func(m pmetric.Metric) Points[pmetric.NumberDataPoint] { return m.Sum().DataPoints() })
	Histograms = &Kind[pmetric.HistogramDataPoint, aggregate.Histogram, *aggregate.Histogram]{
		Empty:  func(m pmetric.Metric) { m.SetEmptyHistogram() },
		Points: func(m pmetric.Metric) Points[pmetric.HistogramDataPoint] { return m.Histogram().DataPoints() },
		Head: func(dp pmetric.HistogramDataPoint) Head {
			return Head{dp.StartTimestamp(), dp.Timestamp(), dp.Flags().NoRecordedValue(), dp.Exemplars().Len() > 0}
		},
		Move:      pmetric.HistogramDataPoint.MoveTo,
		Read:      (*aggregate.Histogram).Read,
		Write:     (*aggregate.Histogram).Write,
		Size:      Sizes.HistogramDataPointSize,
		Exemplars: pmetric.HistogramDataPoint.Exemplars,
	}
	Exponentials = &Kind[pmetric.ExponentialHistogramDataPoint, aggregate.Exponential, *aggregate.Exponential]{
		Empty: func(m pmetric.Metric) { m.SetEmptyExponentialHistogram() },
		Points: func(m pmetric.Metric) Points[pmetric.ExponentialHistogramDataPoint] {
			return m.ExponentialHistogram().DataPoints()
		},
		Head: func(dp pmetric.ExponentialHistogramDataPoint) Head {
			return Head{dp.StartTimestamp(), dp.Timestamp(), dp.Flags().NoRecordedValue(), dp.Exemplars().Len() > 0}
		},
		Move:      pmetric.ExponentialHistogramDataPoint.MoveTo,
		Read:      (*aggregate.Exponential).Read,
		Write:     (*aggregate.Exponential).Write,
		Size:      Sizes.ExponentialHistogramDataPointSize,
		Exemplars: pmetric.ExponentialHistogramDataPoint.Exemplars,
	}
	Summaries = &Kind[pmetric.SummaryDataPoint, aggregate.Summary, *aggregate.Summary]{
		Empty:  func(m pmetric.Metric) { m.SetEmptySummary() },
		Points: func(m pmetric.Metric) Points[pmetric.SummaryDataPoint] { return m.Summary().DataPoints() },
		Head: func(dp pmetric.SummaryDataPoint) Head {
			return Head{dp.StartTimestamp(), dp.Timestamp(), dp.Flags().NoRecordedValue(), false}
		},
		Move:  pmetric.SummaryDataPoint.MoveTo,
		Read:  (*aggregate.Summary).Read,
		Write: (*aggregate.Summary).Write,
		Size:  Sizes.SummaryDataPointSize,
	}
)

func numbers(empty func(pmetric.Metric), of func(pmetric.Metric) Points[pmetric.NumberDataPoint]) *Kind[pmetric.NumberDataPoint, aggregate.Number, *aggregate.Number] {
	return &Kind[pmetric.NumberDataPoint, aggregate.Number, *aggregate.Number]{
		Empty:     empty,
		Points:    of,
		Head:      numberHead,
		Move:      pmetric.NumberDataPoint.MoveTo,
		Read:      (*aggregate.Number).Read,
		Write:     (*aggregate.Number).Write,
		Size:      Sizes.NumberDataPointSize,
		Exemplars: pmetric.NumberDataPoint.Exemplars,
		Negative:  func(n *aggregate.Number) bool { return n.Less(&aggregate.Number{}) },
	}
}

// numberHead is no closure of numbers: nothing is inlined into those.
func numberHead(dp pmetric.NumberDataPoint) Head {
	return Head{dp.StartTimestamp(), dp.Timestamp(), dp.Flags().NoRecordedValue(), dp.Exemplars().Len() > 0}
}
