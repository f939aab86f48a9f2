package runtimelogreceiver

import (
	"context"
	"time"

	"go.uber.org/zap"
)

const (
	// flushChecks is how often in a flush timeout the files are looked at.
	flushChecks = 4
	// idleTimeout is how long a file is remembered that nothing is read of.
	idleTimeout = 10 * time.Minute
)

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
					r.flushFile(ctx, f, now)
					f.mu.Unlock()
				}
			}
		}
	}
}

func (r *runtimeLog) flushFile(ctx context.Context, f *file, now time.Time) {
	switch {
	case f.failed:
	case f.due(now, r.flushTimeout()):
		b := r.newBatch(f)
		cut := len(f.partial) > 0
		f.release(b.add)
		f.overlong = f.overlong || cut
		_ = r.hand(ctx, f, b) // which has told the user
	case len(f.held) == 0 && len(f.partial) == 0 && now.Sub(f.used) >= idleTimeout && r.outage.over(now, idleTimeout) && r.checkpointed(f):
		if r.files.forget(f) {
			r.drop(ctx, f)
		}
	}
}

// flushTimeout gives a record two looks at its file.
func (r *runtimeLog) flushTimeout() time.Duration {
	return max(r.config.FlushTimeout, 2*r.config.PollInterval)
}

// checkpointed tells whether the consumer has stored how far it read a file, so that
// its progress says nothing more.
func (r *runtimeLog) checkpointed(f *file) bool {
	return r.checkpoints == nil || r.checkpoints.saved.Load() > max(f.checkpoint, 0)
}

// finish delivers what a file holds when there will be no next start that knows of it.
func (r *runtimeLog) finish(ctx context.Context, f *file) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed || len(f.held) == 0 && len(f.partial) == 0 {
		return
	}
	if ctx.Err() != nil {
		r.logger.Warn("The last record of a file was not delivered: the pipeline takes too long", zap.String("path", f.Path))
		return
	}
	b := r.newBatch(f)
	f.release(b.add)
	_ = r.hand(ctx, f, b) // which has told the user
}

// drop forgets how far a file was delivered.
func (r *runtimeLog) drop(ctx context.Context, f *file) {
	if r.progress == nil {
		return
	}
	if err := r.progress.drop(context.WithoutCancel(ctx), f.ID); err != nil {
		r.logger.Warn("How far a file was delivered cannot be removed from the storage", zap.String("path", f.Path), zap.Error(err))
	}
}
