// SPDX-License-Identifier: Apache-2.0

// Package runtimetune adapts Go's memory limit and garbage collection to the container's memory and to the
// load.
package runtimetune

import "context"

// Start sets the memory limit of the runtime and adjusts its garbage collection until the context ends. An invalid
// variable is an error, and nothing is set.
func Start(ctx context.Context) error {
	garbage, err := garbageLimit()
	if err != nil {
		return err
	}
	setMemoryLimit()
	startAdjusting(ctx, garbage)
	return nil
}
