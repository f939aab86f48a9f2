package conformanceconnector

import (
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
		assert.ErrorContains(t, cfg.(*Config).Validate(), want)
	}
	f("packs", []any{"nobody"}, `no built-in pack "nobody"`)
	f("prefix", "tc", `prefix: must be lower_snake_case and end in an underscore, such as tc_ (got "tc")`)
	f("interval", "1ms", "interval: must be at least 1s (got 1ms)")
	f("window", "0s", "window: must be at least 1s (got 0s)")
	f("tolerance", "-1s", "tolerance: must be at least 0s (got -1s)")
	f("expect_after", "0s", "expect_after: must be at least 1s (got 0s)")
	f("limit", 0, "limit: must be at least 1 (got 0)")
	f("max_services", 0, "max_services: must be at least 1 (got 0)")
	f("max_metrics", -1, "max_metrics: must be at least 1 (got -1)")
	f("max_findings", 0, "max_findings: must be at least 1 (got 0)")
	f("max_traces", 0, "max_traces: must be at least 1 (got 0)")
	f("max_spans", 0, "max_spans: must be at least 1 (got 0)")
}
