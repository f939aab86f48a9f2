// SPDX-License-Identifier: Apache-2.0

package datapoints

import (
	"iter"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Attributes returns the attributes and the time of each point of a metric. It is small enough to be inlined,
// so that the function that it returns takes no memory.
func Attributes(m pmetric.Metric) iter.Seq2[pcommon.Map, pcommon.Timestamp] {
	return func(yield func(pcommon.Map, pcommon.Timestamp) bool) { attributes(m, yield) }
}

func attributes(m pmetric.Metric, yield func(pcommon.Map, pcommon.Timestamp) bool) {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		each(m.Gauge().DataPoints().All(), yield)
	case pmetric.MetricTypeSum:
		each(m.Sum().DataPoints().All(), yield)
	case pmetric.MetricTypeHistogram:
		each(m.Histogram().DataPoints().All(), yield)
	case pmetric.MetricTypeExponentialHistogram:
		each(m.ExponentialHistogram().DataPoints().All(), yield)
	case pmetric.MetricTypeSummary:
		each(m.Summary().DataPoints().All(), yield)
	}
}

func each[P interface {
	Attributes() pcommon.Map
	Timestamp() pcommon.Timestamp
}](points iter.Seq2[int, P], yield func(pcommon.Map, pcommon.Timestamp) bool) {
	for _, p := range points {
		if !yield(p.Attributes(), p.Timestamp()) {
			return
		}
	}
}

// Exemplars returns the exemplars of each point of a metric.
func Exemplars(m pmetric.Metric) iter.Seq[pmetric.ExemplarSlice] {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return exemplars(m.Gauge().DataPoints().All())
	case pmetric.MetricTypeSum:
		return exemplars(m.Sum().DataPoints().All())
	case pmetric.MetricTypeHistogram:
		return exemplars(m.Histogram().DataPoints().All())
	case pmetric.MetricTypeExponentialHistogram:
		return exemplars(m.ExponentialHistogram().DataPoints().All())
	}
	return func(func(pmetric.ExemplarSlice) bool) {}
}

func exemplars[P interface{ Exemplars() pmetric.ExemplarSlice }](points iter.Seq2[int, P]) iter.Seq[pmetric.ExemplarSlice] {
	return func(yield func(pmetric.ExemplarSlice) bool) {
		for _, p := range points {
			if !yield(p.Exemplars()) {
				return
			}
		}
	}
}
