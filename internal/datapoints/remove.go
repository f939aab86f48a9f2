// SPDX-License-Identifier: Apache-2.0

package datapoints

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

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
