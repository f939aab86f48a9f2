package wirelimitsextension

import (
	"fmt"

	"github.com/otelcol-tc/otelcol-tc/internal/settings"
)

const (
	// minDepth is more than messages without nested values have.
	minDepth = 16
	// maxDepth is what pdata's JSON reader allows.
	maxDepth = 10_000
)

// The validators that generated_config.go calls. Each error names the key, the
// rule and the value.

func validateMaxDepth(depth int) error {
	if depth < minDepth || depth > maxDepth {
		return fmt.Errorf("max_depth: must be from %d to %d (got %d)", minDepth, maxDepth, depth)
	}
	return nil
}

func validateMaxDecoded(mib int) error {
	return settings.MiB("max_decoded_mib", mib)
}
