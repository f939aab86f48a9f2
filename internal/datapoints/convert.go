// SPDX-License-Identifier: Apache-2.0

package datapoints

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Convert converts all values of a metric: those of points, bounds, sums, minima, maxima, quantiles and
// exemplars. It reports false for an exponential histogram, whose bounds cannot be moved.
func Convert(m pmetric.Metric, convert func(float64) float64) bool {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		convertNumbers(m.Gauge().DataPoints(), convert)
	case pmetric.MetricTypeSum:
		convertNumbers(m.Sum().DataPoints(), convert)
	case pmetric.MetricTypeHistogram:
		for _, p := range m.Histogram().DataPoints().All() {
			convertHistogram(p, convert)
		}
	case pmetric.MetricTypeSummary:
		for _, p := range m.Summary().DataPoints().All() {
			p.SetSum(convert(p.Sum()))
			for _, q := range p.QuantileValues().All() {
				q.SetValue(convert(q.Value()))
			}
		}
	case pmetric.MetricTypeExponentialHistogram:
		return false
	}
	return true
}

func convertNumbers(points pmetric.NumberDataPointSlice, convert func(float64) float64) {
	for _, p := range points.All() {
		switch p.ValueType() {
		case pmetric.NumberDataPointValueTypeInt:
			p.SetDoubleValue(convert(float64(p.IntValue())))
		case pmetric.NumberDataPointValueTypeDouble:
			p.SetDoubleValue(convert(p.DoubleValue()))
		}
		convertExemplars(p.Exemplars(), convert)
	}
}

func convertHistogram(p pmetric.HistogramDataPoint, convert func(float64) float64) {
	convertSlice(p.ExplicitBounds(), convert)
	if p.HasSum() {
		p.SetSum(convert(p.Sum()))
	}
	if p.HasMin() {
		p.SetMin(convert(p.Min()))
	}
	if p.HasMax() {
		p.SetMax(convert(p.Max()))
	}
	convertExemplars(p.Exemplars(), convert)
}

func convertSlice(values pcommon.Float64Slice, convert func(float64) float64) {
	for i, v := range values.All() {
		values.SetAt(i, convert(v))
	}
}

func convertExemplars(exemplars pmetric.ExemplarSlice, convert func(float64) float64) {
	for _, e := range exemplars.All() {
		switch e.ValueType() {
		case pmetric.ExemplarValueTypeInt:
			e.SetDoubleValue(convert(float64(e.IntValue())))
		case pmetric.ExemplarValueTypeDouble:
			e.SetDoubleValue(convert(e.DoubleValue()))
		}
	}
}
