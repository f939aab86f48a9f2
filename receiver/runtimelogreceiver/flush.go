package runtimelogreceiver

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// flushChecks is how often in a flush timeout the files are looked at.
const flushChecks = 4

// flush delivers records whose continuation lines did not come in time, until ctx ends.
func (r *runtimeLog) flush(ctx context.Context) {
	ticker := time.NewTicker(max(r.config.FlushTimeout/flushChecks, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			// In an outage nothing is read, so continuation lines cannot have come.
			if !r.outage.over(now, r.config.FlushTimeout) {
				continue
			}
			for _, f := range r.files.list() {
				if ctx.Err() != nil {
					return
				}
				// One that is locked is being read.
				if f.mu.TryLock() {
					f.flush(ctx, now)
					f.mu.Unlock()
				}
			}
		}
	}
}

// flush delivers what has waited long enough.
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
		a.Flush(b.add)
	}
	if b != nil {
		_ = f.hand(ctx, b) // which has told the user
	}
}

// flushTimeout gives a record two looks at its file.
func (r *runtimeLog) flushTimeout() time.Duration {
	return max(r.config.FlushTimeout, 2*r.config.PollInterval)
}

// finish delivers what a file holds when there will be no next start that knows of it.
func (f *file) finish(ctx context.Context) {
	// One that is locked is being delivered, which takes too long.
	if !f.mu.TryLock() {
		return
	}
	defer f.mu.Unlock()
	if f.failed || !f.waits() {
		return
	}
	if ctx.Err() != nil {
		f.receiver.logger.Warn("The last record of a file was not delivered: the pipeline takes too long", zap.String("path", f.path))
		return
	}
	b := newBatch(f)
	f.release(b.add)
	_ = f.hand(ctx, b) // which has told the user
}
