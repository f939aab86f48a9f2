// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/otlptranslator"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNamesAfterPrometheusExport applies the translation of the Prometheus exporters to
// conformant names: no double prefix, unit or suffix, and no change of a name that Prometheus
// accepts.
func TestNamesAfterPrometheusExport(t *testing.T) {
	n := newNamer(t, Options{Exempt: []string{"http.*", "system.*", "up"}})
	translate := otlptranslator.NewMetricNamer("", otlptranslator.UnderscoreEscapingWithSuffixes)
	types := map[string]otlptranslator.MetricType{
		"counter":   otlptranslator.MetricTypeMonotonicCounter,
		"upDown":    otlptranslator.MetricTypeNonMonotonicCounter,
		"gauge":     otlptranslator.MetricTypeGauge,
		"histogram": otlptranslator.MetricTypeHistogram,
	}
	for _, row := range readNames(t).Prometheus {
		name, unit, kind, want := row[0], row[1], row[2], row[3]
		require.Contains(t, types, kind)
		d := n.Metric(nil, name)
		if ucum, ok := n.Unit(d.System, unit); ok {
			unit = ucum
		}
		got, err := translate.Build(otlptranslator.Metric{Name: d.Name, Unit: unit, Type: types[kind]})
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
		assert.True(t, model.LegacyValidation.IsValidMetricName(got), got)
	}
}

// TestKeysAfterPrometheusExport checks that conformant keys become label names that collide
// neither with each other nor with Prometheus's own.
func TestKeysAfterPrometheusExport(t *testing.T) {
	n := newNamer(t, Options{})
	namer := otlptranslator.LabelNamer{}
	f := func(from source, key, want string) {
		t.Helper()
		if d := n.Attribute(from.owner(n), key); d != nil {
			key = d.Key
		}
		got, err := namer.Build(key)
		require.NoError(t, err, key)
		assert.Equal(t, want, got, key)
	}
	f(tuft, "base_model", "tc_base_model")
	f(tuft, "gpu_id", "tc_gpu_id")
	f(daemon, "artifact_id", "tc_artifact_id")
	f(daemon, "view_id_prefix", "tc_view_id_prefix")
	f(unowned, "tc.Source-Type", "tc_source_type")
	f(unowned, "tc.a:b", "tc_a_b")
	f(unowned, "service.name", "service_name")
}
