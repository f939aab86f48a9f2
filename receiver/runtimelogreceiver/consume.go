package runtimelogreceiver

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/stanza/fileconsumer/attrs"
	"go.uber.org/zap"
)

// errNotDelivered is what the file consumer logs of records that stay in their file.
var errNotDelivered = errors.New("the receiver stops, and these records are left to the next start")

// consume takes pieces of one file from the file consumer, which goes on to the next
// ones whatever is returned.
func (r *runtimeLog) consume(ctx context.Context, pieces [][]byte, attributes map[string]any, _ int64, offsets []int64) error {
	path, _ := attributes[attrs.LogFilePath].(string)
	f, displaced := r.files.begin(&reading{path: path, offset: offsets[0], pieces: pieces})
	defer r.files.end(f, offsets[len(pieces)])
	if displaced != nil {
		r.displace(ctx, displaced, path)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed {
		return errNotDelivered
	}
	if f.Path != path || f.Moved {
		f.moved(path, r.resources)
	}
	if r.checkpoints != nil {
		if saved := r.checkpoints.saved.Load(); f.checkpoint != saved {
			f.checkpoint = saved
			f.began(offsets[0], pieces[0])
		}
	}
	b := r.newBatch(f)
	emit, fresh := b.add, false
	for i, piece := range pieces {
		from := offsets[i]
		if repeated := min(f.repeated-from, int64(len(piece))); repeated > 0 {
			from, piece = from+repeated, piece[repeated:]
		}
		if len(piece) > 0 {
			f.add(piece, b.now, emit)
			f.reached(from, piece)
			fresh = true
		}
	}
	f.used, f.changed = b.now, b.now
	if !fresh {
		return nil
	}
	return r.hand(ctx, f, b)
}

// displace notes that another file has the path of a file now.
func (r *runtimeLog) displace(ctx context.Context, f *file, path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Path == path && !f.failed {
		f.Moved = true
		r.store(ctx, f)
	}
}

func (r *runtimeLog) newFile(path string) *file {
	f := &file{
		progress:   progress{ID: rand.Uint64()},
		assembler:  assembler{formats: r.formats, maxSize: r.config.MaxLogSize},
		checkpoint: -1,
	}
	f.moved(path, r.resources)
	return f
}

// hand delivers a batch of a file's records and stores that it has. When it cannot,
// because the receiver stops, the file is not read on.
func (r *runtimeLog) hand(ctx context.Context, f *file, b *batch) error {
	if err := r.deliver(ctx, b); err != nil {
		f.failed = true
		if r.checkpoints != nil {
			r.checkpoints.frozen.Store(true)
		} else {
			r.logger.Warn("Records were not delivered; without storage they are read again only if start_at is beginning",
				zap.String("path", f.Path), zap.Int("records", len(b.entries)), zap.Error(err))
		}
		return errNotDelivered
	}
	// While this was delivered nothing was read, so no continuation lines can have come.
	f.used = time.Now()
	f.changed = f.used
	r.store(ctx, f)
	return nil
}

// store stores how far a file has been delivered.
func (r *runtimeLog) store(ctx context.Context, f *file) {
	if r.progress == nil {
		return
	}
	entry := f.progress
	entry.Held, entry.Partial, entry.Overlong = bytes.Clone(f.held), bytes.Clone(f.partial), f.overlong
	if err := r.progress.save(context.WithoutCancel(ctx), entry); err != nil {
		r.logger.Warn("How far a file was delivered cannot be stored: a kill would repeat records", zap.String("path", f.Path), zap.Error(err))
	}
}
