// SPDX-License-Identifier: Apache-2.0

package collectortest

import "time"

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
