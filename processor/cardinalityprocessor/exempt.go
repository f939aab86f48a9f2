// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pmetric"
)

// ownScopes are the beginnings of the scopes of the collector's own telemetry.
var ownScopes = []string{
	"go.opentelemetry.io/collector/",
	"github.com/open-telemetry/opentelemetry-collector-contrib/",
	"github.com/otelcol-tc/otelcol-tc/",
}

// exempt reports whether the processor leaves a metric alone: the collector's own, and info
// metrics, whose attributes are their content. Names alone do not exempt a metric.
func exempt(scope string, m pmetric.Metric) bool {
	name := m.Name()
	if strings.HasPrefix(name, "otelcol_") || strings.HasPrefix(name, "otelcol.") {
		for _, own := range ownScopes {
			if strings.HasPrefix(scope, own) {
				return true
			}
		}
	}
	return (strings.HasSuffix(name, "_info") || strings.HasSuffix(name, ".info")) && isInfo(m)
}

// isInfo reports whether all values of a gauge, or of a sum that is not monotonic, are 1.
func isInfo(m pmetric.Metric) bool {
	var points pmetric.NumberDataPointSlice
	switch {
	case m.Type() == pmetric.MetricTypeGauge:
		points = m.Gauge().DataPoints()
	case m.Type() == pmetric.MetricTypeSum && !m.Sum().IsMonotonic():
		points = m.Sum().DataPoints()
	default:
		return false
	}
	for _, dp := range points.All() {
		one := dp.ValueType() == pmetric.NumberDataPointValueTypeInt && dp.IntValue() == 1 ||
			dp.ValueType() == pmetric.NumberDataPointValueTypeDouble && dp.DoubleValue() == 1
		if !one && !dp.Flags().NoRecordedValue() {
			return false
		}
	}
	return true
}
