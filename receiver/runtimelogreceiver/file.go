package runtimelogreceiver

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/conventions/logformat"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/assemble"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/containerlog"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/progress"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/tail"
)

// errNotDelivered is the error of records that stay in their file.
var errNotDelivered = errors.New("the receiver stops, and these records are left to the next start")

// maxWaiting is how many bytes of records that are not complete are held, of all files
// together. Of a file that goes beyond it they are delivered as they are.
const maxWaiting = 64 << 20

// file makes records of what is read of a file, and delivers them. It is its tail.Reader.
type file struct {
	receiver *runtimeLog
	id       uint64 // in the storage

	mu sync.Mutex // guards all below
	// at is how far it was delivered.
	at tail.Checkpoint
	// streams are those of a container, made when they occur; another file has one.
	streams []*assemble.Assembler
	// line is the beginning of a container runtime's line.
	line []byte
	// path and name, its last part, are valid UTF-8, for attributes; at.Path is as on disk.
	path, name string
	resource   []logformat.Field
	entry      logformat.Entry
	fields     tracecontext.Fields
	// previous is the time of the record before, which tells the two hours apart that a
	// clock shows twice when it is set back.
	previous time.Time
	// waiting is what it counts of runtimeLog.waiting.
	waiting int64
	// failed tells that records could not be delivered, and are left to the next start.
	failed bool
}

// Read implements tail.Reader.
func (f *file) Read(ctx context.Context, text []byte, at tail.Checkpoint) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed {
		return errNotDelivered
	}
	b := newBatch(f)
	f.at = at
	emit := b.add
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n') + 1
		if end == 0 {
			end = len(text)
		}
		piece := text[:end]
		text = text[end:]
		if f.receiver.config.Container == containerAuto {
			f.addContainer(piece, b.now, emit)
		} else {
			f.stream("").Add(piece, b.now, emit)
		}
	}
	f.count()
	if f.receiver.waiting.Load() > maxWaiting {
		f.release(emit)
	}
	return f.hand(ctx, b)
}

// addContainer takes the next piece of a container's log.
func (f *file) addContainer(piece []byte, now time.Time, emit func(assemble.Record)) {
	if !bytes.HasSuffix(piece, []byte{'\n'}) && len(f.line)+len(piece) <= f.receiver.config.MaxLogSize {
		f.line = append(f.line, piece...)
		return
	}
	if len(f.line) > 0 {
		piece = append(f.line, piece...)
		f.line = nil
	}
	line, ok := containerlog.Parse(piece)
	if !ok {
		line = containerlog.Line{Text: piece}
	}
	a := f.stream(line.Stream)
	a.Written = line.Time
	a.Add(line.Text, now, emit)
}

// stream returns the assembler of a stream.
func (f *file) stream(name string) *assemble.Assembler {
	for _, a := range f.streams {
		if a.Stream == name {
			return a
		}
	}
	a := &assemble.Assembler{Formats: f.receiver.formats, MaxSize: f.receiver.config.MaxLogSize, Stream: name}
	f.streams = append(f.streams, a)
	return a
}

// Renamed implements tail.Reader.
func (f *file) Renamed(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at.Path = path
	f.path = validUTF8(path)
	f.name, f.resource = filepath.Base(f.path), f.receiver.resources.of(f.path)
}

// Ended implements tail.Reader.
func (f *file) Ended(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed {
		return errNotDelivered
	}
	b := newBatch(f)
	f.release(b.add)
	return f.hand(ctx, b)
}

// Forgotten implements tail.Reader.
func (f *file) Forgotten(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.receiver.files.remove(f)
	f.receiver.waiting.Add(-f.waiting)
	if f.receiver.progress == nil {
		return
	}
	if err := f.receiver.progress.Drop(context.WithoutCancel(ctx), f.id); err != nil {
		f.receiver.logger.Warn("How far a file was delivered cannot be removed from the storage", zap.String("path", f.path), zap.Error(err))
	}
}

// release ends all that is held, complete or not.
func (f *file) release(emit func(assemble.Record)) {
	if len(f.line) > 0 {
		line := f.line
		f.line = nil
		a := f.stream("")
		a.Written = time.Time{}
		a.Add(line, time.Now(), emit)
	}
	for _, a := range f.streams {
		a.Release(emit)
	}
}

// waits reports whether a part of a record is held.
func (f *file) waits() bool {
	for _, a := range f.streams {
		if a.Waits() {
			return true
		}
	}
	return len(f.line) > 0
}

// count counts what is held.
func (f *file) count() {
	held := int64(len(f.line))
	for _, a := range f.streams {
		held += int64(a.Size())
	}
	f.receiver.waiting.Add(held - f.waiting)
	f.waiting = held
}

// hand delivers a batch of records and stores that it has. When it cannot, because the
// receiver stops, the file is not read on.
func (f *file) hand(ctx context.Context, b *batch) error {
	if err := f.receiver.deliver(ctx, b); err != nil {
		f.failed = true
		if f.receiver.progress == nil {
			f.receiver.logger.Warn("Records were not delivered; without storage they are read again only if start_at is beginning",
				zap.String("path", f.path), zap.Int("records", len(b.entries)), zap.Error(err))
		}
		return errNotDelivered
	}
	f.count()
	// While this was delivered nothing was read, so no continuation lines can have come.
	took := time.Since(b.now)
	for _, a := range f.streams {
		a.Wait(took)
	}
	f.store(ctx)
	return nil
}

// store stores how far a file has been delivered.
func (f *file) store(ctx context.Context) {
	if f.receiver.progress == nil {
		return
	}
	entry := progress.Entry{ID: f.id, Checkpoint: f.at, Line: bytes.Clone(f.line)}
	for _, a := range f.streams {
		if held, ok := a.Keep(); ok {
			entry.Streams = append(entry.Streams, held)
		}
	}
	if err := f.receiver.progress.Save(context.WithoutCancel(ctx), entry); err != nil {
		f.receiver.logger.Warn("How far a file was delivered cannot be stored: a kill would repeat records", zap.String("path", f.path), zap.Error(err))
	}
}
