// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// measureVariable makes tests check limits of memory and time; make measure sets it. They depend on the
// machine and on what else runs there, so that other runs do not check them.
const measureVariable = "TC_MEASURE"

const (
	// MiB is a mebibyte in bytes.
	MiB = 1 << 20
	// MemoryBound is the limit for all bad input of a test together. An idle collector uses about 100 MiB.
	MemoryBound = 256 * MiB
)

// LittleGarbage is the environment of collectors in memory tests. Without it, the heap contains more
// garbage on a machine with more memory.
var LittleGarbage = map[string]string{"GOGC": "100"}

// StopLimit is the maximum time that a collector may take to stop.
const StopLimit = 5 * time.Second

// Measures reports whether this run checks limits of memory and time.
func Measures() bool { return os.Getenv(measureVariable) != "" }

// NeedsMeasuring skips a test that only measures, unless this run measures.
func NeedsMeasuring(t testing.TB) {
	t.Helper()
	if !Measures() {
		t.Skip("measures: make measure runs it")
	}
}

// Within checks that something took less than a limit, if this run measures.
func Within(t testing.TB, took, limit time.Duration, what ...any) {
	t.Helper()
	if Measures() {
		assert.Less(t, took, limit, what...)
	}
}

// PeakRSSWithin checks that the highest resident memory since ResetPeakRSS is below a limit in bytes, if
// this run measures.
func (c *Collector) PeakRSSWithin(t testing.TB, limit int64) {
	t.Helper()
	if Measures() {
		assert.Less(t, c.PeakRSS(t), limit)
	}
}
