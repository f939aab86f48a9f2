// SPDX-License-Identifier: Apache-2.0

// Package settings validates settings that several components share. Errors name the key, the rule and the
// value.
package settings

import (
	"fmt"
	"slices"
)

// Values of the setting mode.
const (
	Enforce = "enforce"
	Audit   = "audit"
)

// Mode validates the setting mode.
func Mode(mode string) error {
	if mode != Enforce && mode != Audit {
		return fmt.Errorf("mode: must be %s or %s (got %q)", Enforce, Audit, mode)
	}
	return nil
}

// OwnMode validates the setting mode of a component. An empty one means the mode of the conventions extension.
func OwnMode(mode string) error {
	if mode == "" {
		return nil
	}
	return Mode(mode)
}

// AtLeast validates a number.
func AtLeast(key string, value, least int) error {
	if value < least {
		return fmt.Errorf("%s: must be at least %d (got %d)", key, least, value)
	}
	return nil
}

// maxMiB is more memory than a machine has, and its number of bytes fits into an int.
const maxMiB = 1 << 20

// MiB validates a required amount of memory.
func MiB(key string, mib int) error {
	if mib > maxMiB {
		return fmt.Errorf("%s: must be at most %d (got %d)", key, maxMiB, mib)
	}
	return AtLeast(key, mib, 1)
}

// NoEmpty validates a list of attribute keys.
func NoEmpty(key string, values []string) error {
	if slices.Contains(values, "") {
		return fmt.Errorf("%s: must not have an empty key (got %q)", key, values)
	}
	return nil
}
