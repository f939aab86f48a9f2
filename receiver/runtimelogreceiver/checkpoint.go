package runtimelogreceiver

import (
	"context"
	"sync/atomic"

	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// checkpoints is the storage as the file consumer sees it, which keeps its offsets
// there at the end of each poll. The consumer moves on from records that could not be
// delivered, so from that moment its offsets are not stored any more: the next start
// goes on from the last that were, and from what has been delivered since (progress).
type checkpoints struct {
	storage.Client
	saved  atomic.Int64 // how many were stored
	frozen atomic.Bool
}

// Batch implements storage.Client. It is what the consumer stores offsets with.
func (c *checkpoints) Batch(ctx context.Context, ops ...*storage.Operation) error {
	writes := false
	for _, op := range ops {
		writes = writes || op.Type != storage.Get
	}
	if !writes {
		return c.Client.Batch(ctx, ops...)
	}
	if c.frozen.Load() {
		return nil
	}
	err := c.Client.Batch(ctx, ops...)
	if err == nil {
		c.saved.Add(1)
	}
	return err
}
