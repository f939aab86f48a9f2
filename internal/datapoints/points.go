// SPDX-License-Identifier: Apache-2.0

// Package datapoints does with the points of a metric what does not depend on
// their kind.
package datapoints

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Move appends the points of a metric to those of another of the same type. It
// changes nothing and reports false where the types differ or there is no data.
func Move(from, to pmetric.Metric) bool {
	if from.Type() != to.Type() {
		return false
	}
	switch from.Type() {
	case pmetric.MetricTypeGauge:
		from.Gauge().DataPoints().MoveAndAppendTo(to.Gauge().DataPoints())
	case pmetric.MetricTypeSum:
		from.Sum().DataPoints().MoveAndAppendTo(to.Sum().DataPoints())
	case pmetric.MetricTypeHistogram:
		from.Histogram().DataPoints().MoveAndAppendTo(to.Histogram().DataPoints())
	case pmetric.MetricTypeExponentialHistogram:
		from.ExponentialHistogram().DataPoints().MoveAndAppendTo(to.ExponentialHistogram().DataPoints())
	case pmetric.MetricTypeSummary:
		from.Summary().DataPoints().MoveAndAppendTo(to.Summary().DataPoints())
	default:
		return false
	}
	return true
}

// Count returns the number of points of a metric.
func Count(m pmetric.Metric) int {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		return m.Gauge().DataPoints().Len()
	case pmetric.MetricTypeSum:
		return m.Sum().DataPoints().Len()
	case pmetric.MetricTypeHistogram:
		return m.Histogram().DataPoints().Len()
	case pmetric.MetricTypeExponentialHistogram:
		return m.ExponentialHistogram().DataPoints().Len()
	case pmetric.MetricTypeSummary:
		return m.Summary().DataPoints().Len()
	}
	return 0
}

// CountIn returns the number of points of all metrics of a scope.
func CountIn(sm pmetric.ScopeMetrics) (points int) {
	for _, m := range sm.Metrics().All() {
		points += Count(m)
	}
	return points
}

// CopyIdentity copies a metric without its points to an empty metric.
func CopyIdentity(from, to pmetric.Metric) {
	to.SetName(from.Name())
	to.SetDescription(from.Description())
	to.SetUnit(from.Unit())
	from.Metadata().CopyTo(to.Metadata())
	switch from.Type() {
	case pmetric.MetricTypeGauge:
		to.SetEmptyGauge()
	case pmetric.MetricTypeSum:
		to.SetEmptySum().SetAggregationTemporality(from.Sum().AggregationTemporality())
		to.Sum().SetIsMonotonic(from.Sum().IsMonotonic())
	case pmetric.MetricTypeHistogram:
		to.SetEmptyHistogram().SetAggregationTemporality(from.Histogram().AggregationTemporality())
	case pmetric.MetricTypeExponentialHistogram:
		to.SetEmptyExponentialHistogram().SetAggregationTemporality(from.ExponentialHistogram().AggregationTemporality())
	case pmetric.MetricTypeSummary:
		to.SetEmptySummary()
	}
}

// RemoveIf removes the points of a metric whose attributes say so.
func RemoveIf(m pmetric.Metric, remove func(attrs pcommon.Map) bool) {
	switch m.Type() {
	case pmetric.MetricTypeGauge:
		m.Gauge().DataPoints().RemoveIf(byAttributes[pmetric.NumberDataPoint](remove))
	case pmetric.MetricTypeSum:
		m.Sum().DataPoints().RemoveIf(byAttributes[pmetric.NumberDataPoint](remove))
	case pmetric.MetricTypeHistogram:
		m.Histogram().DataPoints().RemoveIf(byAttributes[pmetric.HistogramDataPoint](remove))
	case pmetric.MetricTypeExponentialHistogram:
		m.ExponentialHistogram().DataPoints().RemoveIf(byAttributes[pmetric.ExponentialHistogramDataPoint](remove))
	case pmetric.MetricTypeSummary:
		m.Summary().DataPoints().RemoveIf(byAttributes[pmetric.SummaryDataPoint](remove))
	}
}

func byAttributes[P interface{ Attributes() pcommon.Map }](remove func(pcommon.Map) bool) func(P) bool {
	return func(p P) bool { return remove(p.Attributes()) }
}
