// Package runtimetune fits Go's runtime to the memory that the collector may use, and to what
// it is doing.
package runtimetune

import (
	"context"
	"runtime/debug"
	"time"
)

// startTime is longer than a collector takes to start.
const startTime = 5 * time.Second

// Start sets the memory limit of the runtime, adjusts how often garbage is collected until the
// context ends, and collects the garbage of the start once it is over.
func Start(ctx context.Context) {
	setMemoryLimit()
	startAdjusting(ctx)
	// That garbage would stay until the heap has grown to several times what is in use.
	collection := time.AfterFunc(startTime, debug.FreeOSMemory)
	context.AfterFunc(ctx, func() { collection.Stop() })
}
