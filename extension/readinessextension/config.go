// SPDX-License-Identifier: Apache-2.0

package readinessextension

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// The functions below are called by generated_config.go. Each error names the key, the rule and the value.

func validateFailOn(failOn []string) error {
	for _, condition := range failOn {
		if !slices.Contains(allConditions, condition) {
			return fmt.Errorf("fail_on: must have only %s (got %q)", strings.Join(allConditions, ", "), condition)
		}
	}
	return nil
}

func validateQueueFull(part float64) error {
	if !(part > 0 && part <= 1) { // refuses NaN
		return fmt.Errorf("queue_full: must be over 0 and at most 1 (got %v)", part)
	}
	return nil
}

func validateGrace(grace time.Duration) error { return policy.AtLeast("grace", grace, time.Second) }

func validateInterval(interval time.Duration) error {
	return policy.AtLeast("interval", interval, 100*time.Millisecond)
}
