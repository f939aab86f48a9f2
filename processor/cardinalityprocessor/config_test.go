// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/plan"
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

// TestConfigErrors checks that every error names the key, the rule and the value.
func TestConfigErrors(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		_, err := readConfig(t, text)
		require.EqualError(t, err, want)
	}
	f(`mode: enforced`, `mode: must be enforce or audit (got "enforced")`)
	f(`limit: 0`, `limit: must be at least 1 (got 0)`)
	f(`limit: -5`, `limit: must be at least 1 (got -5)`)
	f(`service_limit: -1`, `service_limit: must be at least 0 (got -1)`)
	f(`memory_limit_mib: 0`, `memory_limit_mib: must be at least 1 (got 0)`)
	f(`attribute_limits: {user: 0}`, `attribute_limits: user: must be at least 1 (got 0)`)
	f(`attribute_limits: {"": 5}`, `attribute_limits: must have no empty key (got "")`)
	f(`drop_attributes: [id, ""]`, `drop_attributes: must not have an empty key (got ["id" ""])`)
	f(`max_stale: 9s`, `max_stale: must be at least 10s (got 9s)`)
	f(`max_stale: 0`, `max_stale: must be at least 10s (got 0s)`)
	f(`overrides: [{limit: 5}]`, `overrides[0].metric: must be a glob of metric names (got "")`)
	f(`overrides: [{metric: a}, {metric: b, limit: -1}]`, `overrides[1].limit: must be at least 0 (got -1)`)
	f(`overrides: [{metric: a, drop_attributes: [""]}]`, `overrides[0].drop_attributes: must not have an empty key (got [""])`)
	f(`overrides: [{metric: a, keep_attributes: [""]}]`, `overrides[0].keep_attributes: must not have an empty key (got [""])`)
	f(`overrides: [{metric: a, keep_attributes: [a], drop_attributes: [b]}]`, `overrides[0].drop_attributes: must not be set together with keep_attributes (got ["b"])`)
	f(`overrides: [{metric: a, gauge: median}]`, `overrides[0].gauge: must be one of ["last" "min" "max" "mean" "sum"] (got "median")`)
	f(`overrides: [{metric: a, summary: merge}]`, `overrides[0].summary: must be one of ["fold" "drop"] (got "merge")`)
	// All of them at once.
	f("limit: 0\nmax_stale: 1s", "limit: must be at least 1 (got 0)\nmax_stale: must be at least 10s (got 1s)")

	many := "attribute_limits: {"
	for i := range plan.MaxLimited + 1 {
		many += fmt.Sprintf("key%d: 1, ", i)
	}
	f(many+"}", `attribute_limits: must have at most 32 keys (got 33)`)
}

func TestUnknownKeysAreRejected(t *testing.T) {
	f := func(text, key string) {
		t.Helper()
		_, err := readConfig(t, text)
		require.ErrorContains(t, err, "invalid keys: "+key)
	}
	f(`limits: 5`, "limits")
	f(`overrides: [{metric: a, limits: 5}]`, "limits")
	f(`overrides: [{name: a}]`, "name")
}

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
