// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"fmt"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

const (
	// minDepth exceeds the depth of messages without nested values.
	minDepth = 16
	// maxDepth is the limit of pdata's JSON reader.
	maxDepth = 10_000
)

// The validators that generated_config.go calls. Each error names the key, the rule and the
// value.

func validateMaxDepth(depth int) error {
	if depth < minDepth || depth > maxDepth {
		return fmt.Errorf("max_depth: must be from %d to %d (got %d)", minDepth, maxDepth, depth)
	}
	return nil
}

func validateMaxDecoded(mib int) error { return policy.MiB("max_decoded_mib", mib) }

func validateMaxInFlight(mib int) error {
	if mib == 0 { // no limit
		return nil
	}
	return policy.MiB("max_in_flight_mib", mib)
}

func validateReadTimeout(timeout time.Duration) error {
	return policy.NotNegative("read_timeout", timeout)
}
