package collectortest

import "time"

const (
	// MiB is in bytes.
	MiB = 1 << 20
	// MemoryBound is for all of a test's bad input together; a collector at rest
	// takes about 100 MiB.
	MemoryBound = 256 * MiB
)

// LittleGarbage is the environment of collectors whose memory tells what they keep: by Go's
// default the heap grows to twice that, by ours with the machine.
var LittleGarbage = map[string]string{"GOGC": "100"}

// StopLimit is the longest time that a collector takes to stop.
const StopLimit = 5 * time.Second
