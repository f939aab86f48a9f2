// SPDX-License-Identifier: Apache-2.0

// Package pointtype has the functions that differ between the types of data points, so that one
// generic walk serves all. A [Kind] reads a point's value into a type of package aggregate
// and writes it back. The package may not know batches, plans or budgets.
package pointtype

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// Point has the methods of data points of all types.
type Point interface {
	Attributes() pcommon.Map
	StartTimestamp() pcommon.Timestamp
	SetStartTimestamp(pcommon.Timestamp)
	Timestamp() pcommon.Timestamp
	SetTimestamp(pcommon.Timestamp)
	Flags() pmetric.DataPointFlags
	SetFlags(pmetric.DataPointFlags)
}

// Points is the slice of a metric's points.
type Points[D Point] interface {
	Len() int
	At(int) D
	RemoveIf(func(D) bool)
	AppendEmpty() D
}

// Kind has the functions for one type of data point.
type Kind[S Points[D], D Point, T any, M series.Measurement[T]] struct {
	Points    func(pmetric.Metric) S
	Empty     func(pmetric.Metric) // sets the metric's type
	Head      func(D) Head
	Read      func(*T, D) bool // reports whether the point is well-formed
	Write     func(*T, D)
	Move      func(from, to D)
	Size      func(D) int                   // the encoded size
	Buckets   func(D) int                   // nil: the type has no buckets with explicit bounds
	Exemplars func(D) pmetric.ExemplarSlice // nil: the type has no exemplars
	Negative  func(*T) bool                 // nil: values are never negative
}

// Head has the fields that all types of points have, besides the attributes. Non-generic
// code reads them together: the compiler inlines pdata's methods only there.
type Head struct {
	Start, Time pcommon.Timestamp
	Stale       bool // the point is a stale marker
	Exemplars   bool // the point has exemplars
}

// Measure returns the encoded size of a point, and the number of its buckets with explicit bounds.
func (k *Kind[S, D, T, M]) Measure(dp D) (size, buckets int) {
	if k.Buckets != nil {
		buckets = k.Buckets(dp)
	}
	return k.Size(dp), buckets
}

// Sizes computes encoded sizes, which estimate the memory of points and resources.
var Sizes pmetric.ProtoMarshaler

// The kinds of all types of metrics.
var (
	Gauges     = numbers(func(m pmetric.Metric) { m.SetEmptyGauge() }, func(m pmetric.Metric) pmetric.NumberDataPointSlice { return m.Gauge().DataPoints() })
	Sums       = numbers(func(m pmetric.Metric) { m.SetEmptySum() }, func(m pmetric.Metric) pmetric.NumberDataPointSlice { return m.Sum().DataPoints() })
	Histograms = &Kind[pmetric.HistogramDataPointSlice, pmetric.HistogramDataPoint, aggregate.Histogram, *aggregate.Histogram]{
		Empty:  func(m pmetric.Metric) { m.SetEmptyHistogram() },
		Points: func(m pmetric.Metric) pmetric.HistogramDataPointSlice { return m.Histogram().DataPoints() },
		Head: func(dp pmetric.HistogramDataPoint) Head {
			return Head{dp.StartTimestamp(), dp.Timestamp(), dp.Flags().NoRecordedValue(), dp.Exemplars().Len() > 0}
		},
		Move:      pmetric.HistogramDataPoint.MoveTo,
		Read:      (*aggregate.Histogram).Read,
		Write:     (*aggregate.Histogram).Write,
		Size:      Sizes.HistogramDataPointSize,
		Buckets:   func(dp pmetric.HistogramDataPoint) int { return dp.ExplicitBounds().Len() + 1 },
		Exemplars: pmetric.HistogramDataPoint.Exemplars,
	}
	Exponentials = &Kind[pmetric.ExponentialHistogramDataPointSlice, pmetric.ExponentialHistogramDataPoint, aggregate.Exponential, *aggregate.Exponential]{
		Empty: func(m pmetric.Metric) { m.SetEmptyExponentialHistogram() },
		Points: func(m pmetric.Metric) pmetric.ExponentialHistogramDataPointSlice {
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
	Summaries = &Kind[pmetric.SummaryDataPointSlice, pmetric.SummaryDataPoint, aggregate.Summary, *aggregate.Summary]{
		Empty:  func(m pmetric.Metric) { m.SetEmptySummary() },
		Points: func(m pmetric.Metric) pmetric.SummaryDataPointSlice { return m.Summary().DataPoints() },
		Head: func(dp pmetric.SummaryDataPoint) Head {
			return Head{dp.StartTimestamp(), dp.Timestamp(), dp.Flags().NoRecordedValue(), false}
		},
		Move:  pmetric.SummaryDataPoint.MoveTo,
		Read:  (*aggregate.Summary).Read,
		Write: (*aggregate.Summary).Write,
		Size:  Sizes.SummaryDataPointSize,
	}
)

func numbers(empty func(pmetric.Metric), points func(pmetric.Metric) pmetric.NumberDataPointSlice) *Kind[pmetric.NumberDataPointSlice, pmetric.NumberDataPoint, aggregate.Number, *aggregate.Number] {
	return &Kind[pmetric.NumberDataPointSlice, pmetric.NumberDataPoint, aggregate.Number, *aggregate.Number]{
		Empty:     empty,
		Points:    points,
		Head:      numberHead,
		Move:      pmetric.NumberDataPoint.MoveTo,
		Read:      (*aggregate.Number).Read,
		Write:     (*aggregate.Number).Write,
		Size:      Sizes.NumberDataPointSize,
		Exemplars: pmetric.NumberDataPoint.Exemplars,
		Negative:  func(n *aggregate.Number) bool { return n.Less(&aggregate.Number{}) },
	}
}

// numberHead is not a closure of numbers, since the compiler inlines nothing into those.
func numberHead(dp pmetric.NumberDataPoint) Head {
	return Head{dp.StartTimestamp(), dp.Timestamp(), dp.Flags().NoRecordedValue(), dp.Exemplars().Len() > 0}
}
