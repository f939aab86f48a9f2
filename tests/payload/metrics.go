// SPDX-License-Identifier: Apache-2.0

package payload

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Gauge is a metric of a service with one point.
func Gauge(service, name string) pmetric.Metrics {
	metrics := pmetric.NewMetrics()
	rm := metrics.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", service)
	m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName(name)
	m.SetEmptyGauge().DataPoints().AppendEmpty().SetIntValue(1)
	return metrics
}

// AddCounter adds a cumulative counter of a service, which began at a time, or does not say when. The number of each of
// its series makes the attributes.
func AddCounter(metrics pmetric.Metrics, service, name string, start pcommon.Timestamp, series int, value int64, attributes func(i int) map[string]any) {
	rm := metrics.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", service)
	m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName(name)
	sum := m.SetEmptySum()
	sum.SetIsMonotonic(true)
	sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	for i := range series {
		point := sum.DataPoints().AppendEmpty()
		_ = point.Attributes().FromRaw(attributes(i)) // texts
		point.SetStartTimestamp(start)
		point.SetTimestamp(Timestamp())
		point.SetIntValue(value)
	}
}
