// SPDX-License-Identifier: Apache-2.0

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
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/service"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/tail"
)

// errNotDelivered is the error of records that stay in their file.
var errNotDelivered = errors.New("the receiver stops: these records are left to the next start")

// maxHeld bounds the incomplete records that are held, in bytes, of all files together. A file
// that exceeds it delivers its incomplete records.
const maxHeld = 64 << 20

// file assembles what is read of a file to records, and delivers them. It is the file's
// tail.Reader.
type file struct {
	receiver *runtimeLog
	id       uint64 // the key of its progress in the directory

	mu sync.Mutex // guards all fields below
	// position is how far the file was delivered.
	position tail.Checkpoint
	// streams are the streams of a container's log, created when they occur. Any other file has
	// one stream.
	streams []*assemble.Assembler
	// line is the incomplete line of a container runtime.
	line []byte
	// pieces is the number of pieces read so far. Records are delivered in the order of their first ones.
	pieces int64
	// path and name, its last element, are valid UTF-8, for attributes. position.Path is the path on
	// disk.
	path, name string
	resource   []logformat.Field
	entry      logformat.Entry
	// service is the name that the path gives to a service that nothing else names. A file that is
	// renamed keeps it.
	service string
	// pod means that the path names a pod. k8s_attributes then knows the service.
	pod bool
	// pack is the last format of a pack that a line had. It describes the resource of the lines without
	// one as well, so that the resource of a file does not change from line to line.
	pack   *logformat.Format
	fields tracecontext.Fields
	// previous is the time of the previous record. It decides which of two hours is meant when
	// the clock was set back.
	previous time.Time
	// held is what the file contributes to runtimeLog.held, in bytes.
	held int64
	// failed means that records were not delivered, and are left to the next start.
	failed bool
}

// Read implements tail.Reader.
func (f *file) Read(ctx context.Context, text []byte, position tail.Checkpoint) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed {
		return errNotDelivered
	}
	b := newRead(f, text)
	f.position = position
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
			f.add(f.stream(""), piece, b.now, emit)
		}
	}
	f.count()
	if f.receiver.held.Load() > maxHeld {
		f.release(emit)
	}
	return f.deliverAndStore(ctx, b)
}

// addContainer adds a piece of a container's log.
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
	f.add(a, line.Text, now, emit)
}

func (f *file) add(a *assemble.Assembler, piece []byte, now time.Time, emit func(assemble.Record)) {
	f.pieces++
	a.Number = f.pieces
	a.Add(piece, now, emit)
	if a.Folded > 0 {
		f.receiver.telemetry.RuntimeLogFoldedStates.Add(context.Background(), a.Folded)
		a.Folded = 0
	}
}

// stream returns the assembler of a stream, and creates it if necessary.
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
	f.position.Path = path
	f.path = validUTF8(path)
	f.name = filepath.Base(f.path)
	f.resource, f.pod = f.receiver.resources.attributesOf(f.path)
	if f.service == "" {
		f.service = service.NameOf(f.path, f.receiver.config.Include)
	}
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
	return f.deliverAndStore(ctx, b)
}

// Forgotten implements tail.Reader.
func (f *file) Forgotten(context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.receiver.files.Delete(f)
	f.receiver.held.Add(-f.held)
	if f.receiver.progress == nil {
		return
	}
	if err := f.receiver.progress.Drop(f.id); err != nil {
		f.receiver.logger.Warn("The delivery progress of a file cannot be removed from the directory", zap.String("path", f.path), zap.Error(err))
	}
}

// release emits everything that is held, complete or not.
func (f *file) release(emit func(assemble.Record)) {
	if len(f.line) > 0 {
		line := f.line
		f.line = nil
		a := f.stream("")
		a.Written = time.Time{}
		f.add(a, line, time.Now(), emit)
	}
	for _, a := range f.streams {
		a.Release(emit)
	}
}

// holds reports whether the file holds a part of a record.
func (f *file) holds() bool {
	for _, a := range f.streams {
		if a.Waits() {
			return true
		}
	}
	return len(f.line) > 0
}

// count updates the number of held bytes.
func (f *file) count() {
	held := int64(len(f.line))
	for _, a := range f.streams {
		held += int64(a.Size())
	}
	f.receiver.held.Add(held - f.held)
	f.held = held
}

// deliverAndStore delivers a batch and stores the position. If it cannot, because the receiver
// stops, the file is not read any more.
func (f *file) deliverAndStore(ctx context.Context, b *batch) error {
	if err := f.receiver.deliver(ctx, b); err != nil {
		f.failed = true
		if f.receiver.progress == nil {
			f.receiver.logger.Warn("Records were not delivered; without a directory they are read again only if start_at is beginning",
				zap.String("path", f.path), zap.Int("records", len(b.entries)), zap.Error(err))
		}
		return errNotDelivered
	}
	f.count()
	// The file was not read during the delivery, so no continuation lines can have come.
	took := time.Since(b.now)
	for _, a := range f.streams {
		a.Wait(took)
	}
	f.store()
	return nil
}

// store stores the position up to which the file was delivered.
func (f *file) store() {
	if f.receiver.progress == nil {
		return
	}
	entry := progress.Entry{ID: f.id, Checkpoint: f.position, Line: bytes.Clone(f.line)}
	if f.pack != nil {
		entry.Pack = f.pack.Name
	}
	for _, a := range f.streams {
		if held, ok := a.Keep(); ok {
			entry.Streams = append(entry.Streams, held)
		}
	}
	if err := f.receiver.progress.Save(entry); err != nil {
		f.receiver.logger.Warn("The delivery progress of a file cannot be stored: a kill would repeat records", zap.String("path", f.path), zap.Error(err))
	}
}
