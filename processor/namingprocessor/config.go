// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"fmt"

	"github.com/otelcol-tc/otelcol-tc/internal/policy"
)

// The functions below are called by generated_config.go. Each error names the key, the rule and the value.

func validateMode(mode string) error { return policy.OwnMode(mode) }

func validateMaxNames(names int) error { return policy.AtLeast("max_names", names, 1) }

// minValueBytes is enough for the first bytes of a value and the suffix truncated.
const minValueBytes = 64

func validateMaxValueBytes(size int) error {
	if size != 0 && size < minValueBytes {
		return fmt.Errorf("max_value_bytes: must be 0 or at least %d (got %d)", minValueBytes, size)
	}
	return nil
}
