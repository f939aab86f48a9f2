// SPDX-License-Identifier: Apache-2.0

package payload

import (
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
