// SPDX-License-Identifier: Apache-2.0

package readinessextension

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
)

func TestPageOfTheConfiguration(t *testing.T) {
	f := func(metrics, want string) {
		t.Helper()
		s, err := readSettings(configuration(t, `service: {telemetry: {metrics: `+metrics+`}}`))
		require.NoError(t, err)
		address, err := s.page()
		if want == "" {
			assert.ErrorIs(t, err, errNoPage)
		}
		assert.Equal(t, want, address)
	}
	f(`{}`, "localhost:8888")
	f(`{level: detailed}`, "localhost:8888")
	f(`{level: None}`, "")
	f(`{readers: []}`, "")
	f(`{readers: [{periodic: {exporter: {otlp: {}}}}]}`, "")
	f(`{readers: [{periodic: {}}, {pull: {exporter: {prometheus: {host: 10.1.2.3, port: 8888}}}}]}`, "10.1.2.3:8888")
	f(`{readers: [{pull: {exporter: {prometheus/development: {host: 0.0.0.0, port: "9"}}}}]}`, "localhost:9")
	f(`{readers: [{pull: {exporter: {prometheus: {host: "::", port: 9}}}}]}`, "localhost:9")
	f(`{readers: [{pull: {exporter: {prometheus: {host: "::1", port: 9}}}}]}`, "[::1]:9")
	f(`{readers: [{pull: {exporter: {prometheus: {host: "[::1]", port: 9}}}}]}`, "[::1]:9")
	f(`{readers: [{pull: {exporter: {prometheus: {host: "[::]", port: 9}}}}]}`, "localhost:9")
	f(`{readers: [{pull: {exporter: {prometheus: }}}]}`, "")
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
