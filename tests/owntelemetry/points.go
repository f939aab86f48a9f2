// SPDX-License-Identifier: Apache-2.0

// Package owntelemetry reads the metrics that a component counts for itself.
package owntelemetry

import (
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// Points returns the points of a counter or gauge of integers. There are none before the first event.
func Points(telemetry *componenttest.Telemetry, name string) []metricdata.DataPoint[int64] {
	metric, err := telemetry.GetMetric(name)
	if err != nil {
		return nil
	}
	switch data := metric.Data.(type) {
	case metricdata.Sum[int64]:
		return data.DataPoints
	case metricdata.Gauge[int64]:
		return data.DataPoints
	}
	return nil
}

// Sum returns the sum of the points that have these attributes: a key and its value, and so on.
func Sum(telemetry *componenttest.Telemetry, name string, attributes ...string) (sum int64) {
	for _, point := range Points(telemetry, name) {
		if has(point.Attributes, attributes) {
			sum += point.Value
		}
	}
	return sum
}

func has(set attribute.Set, attributes []string) bool {
	for i := 0; i < len(attributes); i += 2 {
		if value, ok := set.Value(attribute.Key(attributes[i])); !ok || value.AsString() != attributes[i+1] {
			return false
		}
	}
	return true
}
