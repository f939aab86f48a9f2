// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-tc/otelcol-tc/tests/configtest"
)

// readConfig reads settings as the collector does.
func readConfig(t *testing.T, text string) (*Config, error) {
	t.Helper()
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(text))
	require.NoError(t, err)
	conf, err := retrieved.AsConf()
	require.NoError(t, err)
	cfg := createDefaultConfig().(*Config)
	if err := conf.Unmarshal(cfg); err != nil {
		return nil, err
	}
	return cfg, confmap.Validate(cfg)
}

func TestErrorsNameKeyRuleAndValue(t *testing.T) { configtest.Errors(t, createDefaultConfig) }

// TestConfigIsRead reads all settings. An empty keep_attributes differs from a missing
// one.
func TestConfigIsRead(t *testing.T) {
	cfg, err := readConfig(t, `
mode: audit
limit: 10
service_limit: 0
attribute_limits: {user: 5, HOST: 6}
overrides:
  - {metric: "http_*", limit: 7, drop_attributes: [a, b], gauge: max, summary: fold}
  - {metric: rpc, keep_attributes: []}
  - {metric: all}
drop_attributes: [id]
max_stale: 1h
memory_limit_mib: 64
state_directory: /var/lib/series
`)
	require.NoError(t, err)
	require.Equal(t, &Config{
		Mode: "audit", Limit: 10, ServiceLimit: 0,
		AttributeLimits: map[string]int{"user": 5, "HOST": 6},
		Overrides: []OverridesItem{
			{Metric: "http_*", Limit: 7, DropAttributes: []string{"a", "b"}, Gauge: "max", Summary: "fold"},
			{Metric: "rpc", KeepAttributes: []string{}}, {Metric: "all"},
		},
		DropAttributes: []string{"id"}, MaxStale: time.Hour, MemoryLimitMib: 64, StateDirectory: "/var/lib/series",
	}, cfg)
}
