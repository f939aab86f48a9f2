// SPDX-License-Identifier: Apache-2.0

// Package datapoints does with the points of a metric what does not depend on
// their kind.
package datapoints

import "go.opentelemetry.io/collector/pdata/pmetric"

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
