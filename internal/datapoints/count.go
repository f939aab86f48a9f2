// SPDX-License-Identifier: Apache-2.0

package datapoints

import "go.opentelemetry.io/collector/pdata/pmetric"

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
