package main

import (
	"runtime/debug"
	"time"
)

// startTime is longer than a collector takes to start.
const startTime = 5 * time.Second

// The garbage of the start would stay until the heap has grown to several times what is in use.
// As with the memory limit, main takes nothing of this kind.
func init() { time.AfterFunc(startTime, debug.FreeOSMemory) }
