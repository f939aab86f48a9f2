// SPDX-License-Identifier: Apache-2.0

package readinessextension

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

func TestErrorsNameKeyRuleAndValue(t *testing.T) {
	f := func(change func(*Config), want string) {
		t.Helper()
		cfg := defaultConfig().(*Config)
		change(cfg)
		assert.EqualError(t, cfg.Validate(), want)
	}
	f(func(c *Config) { c.FailOn = []string{"queue_full", "weather"} }, `fail_on: must have only pipelines_not_running, `+
		`permanent_error, queue_full, disk_full, no_pods, exporter_failing, exporter_stalled, exporter_unreachable, exporter_misconfigured, recoverable_error, metrics_unreadable (got "weather")`)
	f(func(c *Config) { c.QueueFull = 0 }, "queue_full: must be over 0 and at most 1 (got 0)")
	f(func(c *Config) { c.QueueFull = 95 }, "queue_full: must be over 0 and at most 1 (got 95)")
	f(func(c *Config) { c.Grace = 0 }, "grace: must be at least 1s (got 0s)")
	f(func(c *Config) { c.Interval = 0 }, "interval: must be at least 100ms (got 0s)")
}

func TestConditionsAreDocumented(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	metadata, err := os.ReadFile("metadata.yaml")
	require.NoError(t, err)
	assert.Contains(t, string(metadata), "enum: ["+strings.Join(allConditions, ", ")+"]")
	cfg := defaultConfig().(*Config)
	for _, condition := range allConditions {
		row := slices.IndexFunc(strings.Split(string(readme), "\n"), func(line string) bool {
			by := map[bool]string{true: "yes", false: "no"}[slices.Contains(cfg.FailOn, condition)]
			return strings.HasPrefix(line, "| `"+condition+"` |") && strings.HasSuffix(line, "| "+by+" |")
		})
		assert.Positive(t, row, condition)
	}
}
