// SPDX-License-Identifier: Apache-2.0

// Package soak sets how much tests do: more under `make soak` than otherwise.
package soak

import (
	"os"
	"strconv"
	"testing"
)

// Count returns the value of an environment variable, or usual where it is not set.
func Count(t testing.TB, variable string, usual int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// Names returns how many hostile names, values or series a test sends. With -short it skips the test.
func Names(t testing.TB, usual int) int {
	t.Helper()
	Sequential(t)
	return Count(t, "TC_SOAK_NAMES", usual)
}

// Sequential skips a test with -short, which is slow and has one goroutine only, so that the race detector finds
// nothing in it.
func Sequential(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long")
	}
}
