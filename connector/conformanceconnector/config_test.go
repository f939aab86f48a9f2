// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
)

func TestConfigErrors(t *testing.T) {
	f := func(key string, value any, want string) {
		t.Helper()
		cfg := createDefaultConfig()
		require.NoError(t, confmap.NewFromStringMap(map[string]any{key: value}).Unmarshal(cfg))
		err := cfg.(*Config).Validate()
		if want == "" {
			assert.NoError(t, err)
			return
		}
		assert.ErrorContains(t, err, want)
	}
	f("interval", "1ms", "interval: must be at least 1s (got 1ms)")
	f("window", "0s", "window: must be at least 1s (got 0s)")
	f("tolerance", "-1s", "tolerance: must be at least 0s (got -1s)")
	f("expect_after", "0s", "expect_after: must be at least 1s (got 0s)")
	f("max_services", 0, "max_services: must be at least 1 (got 0)")
	f("max_metrics", -1, "max_metrics: must be at least 1 (got -1)")
	f("max_findings", 0, "max_findings: must be at least 1 (got 0)")
	f("max_traces", 0, "max_traces: must be at least 1 (got 0)")
	f("max_spans", 0, "max_spans: must be at least 1 (got 0)")
	f("trace_url", "tempo/{trace_id}", `trace_url: must be an http or https URL with a host (got "tempo/{trace_id}")`)
	f("trace_url", "javascript://x/{trace_id}", `trace_url: must be an http or https URL with a host`)
	f("trace_url", "https://{trace_id}.tempo/", `trace_url: must be an http or https URL with a host`)
	f("trace_url", "https://tempo/", `trace_url: must have {trace_id} (got "https://tempo/")`)
	f("trace_url", "https://u:S3CR3T@tempo/{trace_id}", `trace_url: must have no user and no password, because each reader of the page gets it (got "https://u:xxxxx@tempo/%7Btrace_id%7D")`)
	f("logs_url", "https://loki/", `logs_url: must have {service} or {trace_id} (got "https://loki/")`)
	f("metric_url", "https://mimir/", `metric_url: must have {metric} (got "https://mimir/")`)
	f("trace_url", "https://grafana.example/explore?trace={trace_id}#x", "")
	f("logs_url", "http://loki:3100/{service}", "")
	f("metric_url", "https://prometheus.example/graph?g0.expr={metric}%7Bjob%3D%22{service}%22%7D", "")
	f("price_million_points", -0.1, "price_million_points: must be a number of at least 0 (got -0.1)")
	f("price_gigabyte", math.NaN(), "price_gigabyte: must be a number of at least 0 (got NaN)")
}

// TestPageNeedsAddress checks that a page without an endpoint is refused, which would be on all interfaces, and that a
// page can be switched off.
func TestPageNeedsAddress(t *testing.T) {
	read := func(page any) *Config {
		t.Helper()
		cfg := defaultConfig().(*Config)
		require.NoError(t, confmap.NewFromStringMap(map[string]any{"page": page}).Unmarshal(cfg))
		return cfg
	}
	for _, page := range []any{nil, map[string]any{}, map[string]any{"endpoint": ""}} {
		assert.EqualError(t, confmap.Validate(read(page)), `page: endpoint: must be an address to listen on (got "")`)
	}
	off := read(map[string]any{"endpoint": "127.0.0.1:0", "enabled": false})
	require.NoError(t, confmap.Validate(off))
	assert.False(t, off.Page.HasValue())
}
