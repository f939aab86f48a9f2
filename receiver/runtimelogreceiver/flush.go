// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/internal/periodic"
)

// flushChecks is how often files are checked within a flush timeout.
const flushChecks = 4

// flush delivers records whose continuation lines did not come in time, until ctx ends.
func (r *runtimeLog) flush(ctx context.Context) {
	periodic.Run(ctx, max(r.config.FlushTimeout/flushChecks, time.Millisecond), func(now time.Time) {
		// In an outage nothing is read, so continuation lines cannot have come.
		if !r.outage.over(now, r.config.FlushTimeout) {
			return
		}
		for one := range r.files.Range {
			if ctx.Err() != nil {
				return
			}
			f := one.(*file)
			// A locked file is being read.
			if f.mu.TryLock() {
				f.flush(ctx, now)
				f.mu.Unlock()
			}
		}
	})
}

// flush delivers the records that have waited long enough.
func (f *file) flush(ctx context.Context, now time.Time) {
	if f.failed {
		return
	}
	var b *batch
	for _, a := range f.streams {
		if !a.Due(now, f.receiver.flushTimeout()) {
			continue
		}
		if b == nil {
			b = newBatch(f)
		}
		a.Flush(now, f.receiver.flushTimeout(), b.add)
	}
	if b != nil {
		_ = f.deliverAndStore(ctx, b) // deliverAndStore logs the error
	}
}

// flushTimeout returns the flush timeout, but at least the time of two polls.
func (r *runtimeLog) flushTimeout() time.Duration {
	return max(r.config.FlushTimeout, 2*r.config.PollInterval)
}

// finish delivers what a file holds. Without a directory, no later start can deliver it.
func (f *file) finish(ctx context.Context) {
	// A locked file is delivering, and waiting for it takes too long.
	if !f.mu.TryLock() {
		return
	}
	defer f.mu.Unlock()
	if f.failed || !f.holds() {
		return
	}
	if ctx.Err() != nil {
		f.receiver.logger.Warn("The last record of a file was not delivered: the pipeline takes too long", zap.String("path", f.path))
		return
	}
	b := newBatch(f)
	f.release(b.add)
	_ = f.deliverAndStore(ctx, b) // deliverAndStore logs the error
}
