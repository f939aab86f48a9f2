// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/confmap"
)

func TestConfig(t *testing.T) {
	f := func(key string, value any, want string) {
		t.Helper()
		cfg := createDefaultConfig().(*Config)
		assert.NoError(t, confmap.NewFromStringMap(map[string]any{key: value}).Unmarshal(cfg))
		err := cfg.Validate()
		if want == "" {
			assert.NoError(t, err)
			return
		}
		assert.EqualError(t, err, want)
	}
	f("max_depth", 16, "")
	f("max_depth", 10_000, "")
	f("max_depth", 15, "max_depth: must be from 16 to 10000 (got 15)")
	f("max_depth", 10_001, "max_depth: must be from 16 to 10000 (got 10001)")
	f("max_decoded_mib", 1, "")
	f("max_decoded_mib", 0, "max_decoded_mib: must be at least 1 (got 0)")
	f("max_decoded_mib", 1<<20+1, "max_decoded_mib: must be at most 1048576 (got 1048577)")
	f("max_in_flight_mib", 0, "")
	f("max_in_flight_mib", 1, "")
	f("max_in_flight_mib", -1, "max_in_flight_mib: must be at least 1 (got -1)")
	f("read_timeout", "0s", "")
	f("read_timeout", "-1s", "read_timeout: must not be negative (got -1s)")
}
