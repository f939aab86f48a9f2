// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Values of the setting mode.
const (
	Enforce = "enforce"
	Audit   = "audit"
)

// Mode validates the setting mode.
func Mode(mode string) error { return OneOf("mode", mode, Enforce, Audit) }

// OwnMode validates the setting mode of a component. An empty one means the mode of the conventions extension.
func OwnMode(mode string) error {
	if mode == "" {
		return nil
	}
	return Mode(mode)
}

// OneOf validates a word.
func OneOf(key, value string, words ...string) error {
	if !slices.Contains(words, value) {
		return fmt.Errorf("%s: must be %s (got %q)", key, strings.Join(words, " or "), value)
	}
	return nil
}

// Positive validates a time.
func Positive(key string, value time.Duration) error {
	if value <= 0 {
		return fmt.Errorf("%s: must be positive (got %s)", key, value)
	}
	return nil
}

// AtLeast validates a number or a time.
func AtLeast[N int | time.Duration](key string, value, least N) error {
	if value < least {
		return fmt.Errorf("%s: must be at least %v (got %v)", key, least, value)
	}
	return nil
}

// NotNegative validates a number or a time.
func NotNegative[N int | time.Duration](key string, value N) error {
	if value < 0 {
		return fmt.Errorf("%s: must not be negative (got %v)", key, value)
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
