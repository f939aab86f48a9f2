// SPDX-License-Identifier: Apache-2.0

package readinessextension

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

func TestPageOfTheConfiguration(t *testing.T) {
	for _, row := range testfiles.Cases[[2]string](t, "testdata/addresses.yaml") {
		s, err := readSettings(configuration(t, `service: {telemetry: {metrics: `+row[0]+`}}`))
		require.NoError(t, err)
		address, err := s.page()
		if row[1] == "" {
			assert.ErrorIs(t, err, errNoPage)
		}
		assert.Equal(t, row[1], address, row[0])
	}
}

func TestNeedsPods(t *testing.T) {
	f := func(text string, want bool) {
		t.Helper()
		s, err := readSettings(configuration(t, text))
		require.NoError(t, err)
		assert.Equal(t, want, s.needsPods())
	}
	f(`{}`, false)
	f(withKubernetes, true)
	f(`{processors: {k8s_attributes: }, service: {pipelines: {logs: {processors: [naming]}}}}`, false)
	f(`{processors: {k8sattributes: }, service: {pipelines: {logs: {processors: [k8sattributes]}}}}`, true)
	f(`{processors: {k8s_attributes: {passthrough: true}}, service: {pipelines: {logs: {processors: [k8s_attributes]}}}}`, false)
	f(`{processors: {k8s_attributes: {passthrough: false}}, service: {pipelines: {logs: {processors: [k8s_attributes]}}}}`, true)
	t.Setenv("TC_PASSTHROUGH", "true")
	f(`{processors: {k8s_attributes: {passthrough: "${env:TC_PASSTHROUGH}"}}, service: {pipelines: {logs: {processors: [k8s_attributes]}}}}`, false)
	// Other processors use the key for something else.
	f(`{processors: {a: {passthrough: [x]}, b: {passthrough: {x: y}}, c: [x]}, service: {pipelines: {logs: {processors: [a, b, c]}}}}`, false)
}

func TestErrorsNameKeyRuleAndValue(t *testing.T) { configtest.Errors(t, defaultConfig) }
