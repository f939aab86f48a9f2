// SPDX-License-Identifier: Apache-2.0

// Package runtimetune adapts Go's memory limit and garbage collection to the container's memory and to the
// load.
package runtimetune

import (
	"context"
	"runtime/debug"
	"time"
)

// startTime is longer than the start of a collector takes.
const startTime = 5 * time.Second

// Start sets the memory limit of the runtime and adjusts its garbage collection until the context ends. It
// frees the memory of the start once the start is over. An invalid variable is an error, and nothing is set.
func Start(ctx context.Context) error {
	garbage, err := garbageLimit()
	if err != nil {
		return err
	}
	setMemoryLimit()
	startAdjusting(ctx, garbage)
	// Otherwise this garbage stays until the heap is several times the live heap.
	collection := time.AfterFunc(startTime, debug.FreeOSMemory)
	context.AfterFunc(ctx, func() { collection.Stop() })
	return nil
}
