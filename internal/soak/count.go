// Package soak lets `make soak` have tests do more than they do every time.
package soak

import (
	"os"
	"strconv"
	"testing"
)

// Count is what an environment variable says, or usual where it is not set.
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

// Names is how many hostile names, values or series a test sends.
func Names(t testing.TB, usual int) int {
	t.Helper()
	return Count(t, "TC_SOAK_NAMES", usual)
}
