// Package settings checks settings that several components have. Errors name the key, the
// rule and the value.
package settings

import (
	"fmt"
	"slices"
)

// The values of a setting mode.
const (
	Enforce = "enforce"
	Audit   = "audit"
)

// Mode checks a setting mode.
func Mode(mode string) error {
	if mode != Enforce && mode != Audit {
		return fmt.Errorf("mode: must be %s or %s (got %q)", Enforce, Audit, mode)
	}
	return nil
}

// AtLeast checks a number.
func AtLeast(key string, value, least int) error {
	if value < least {
		return fmt.Errorf("%s: must be at least %d (got %d)", key, least, value)
	}
	return nil
}

// maxMiB is more memory than there is, and still a number of bytes.
const maxMiB = 1 << 20

// MiB checks an amount of memory that must be there.
func MiB(key string, mib int) error {
	if mib > maxMiB {
		return fmt.Errorf("%s: must be at most %d (got %d)", key, maxMiB, mib)
	}
	return AtLeast(key, mib, 1)
}

// NoEmpty checks attribute keys.
func NoEmpty(key string, values []string) error {
	if slices.Contains(values, "") {
		return fmt.Errorf("%s: must not have an empty key (got %q)", key, values)
	}
	return nil
}
