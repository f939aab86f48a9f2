// SPDX-License-Identifier: Apache-2.0

package tail

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// maxArchives bounds the archives that are open at a time, each with 200 KiB of memory.
	maxArchives = 4
	// archiveRest is how long an archive has to be unchanged: what writes it may not be done.
	archiveRest = time.Second
	// compressGrace is how long a deleted file is remembered, so that its archive, which a poll
	// may find later, is not read again.
	compressGrace = archiveRest + 3*time.Second
)

// originalFound reports whether a file is an archive whose original is still there: the
// original is read instead.
func originalFound(path string, names map[string]identity) bool {
	original, ok := strings.CutSuffix(path, archiveSuffix)
	if !ok {
		return false
	}
	_, found := names[original]
	return found
}

// handleArchive decides what to do with an archive whose inode is unknown. It owns the
// descriptor. It returns the file if a worker has to read it.
func (t *Tailer) handleArchive(ctx context.Context, one found, id identity, descriptor *os.File, info fs.FileInfo, now time.Time) *file {
	first := t.FromEnd && t.polls == 1
	if !first && (t.archives >= maxArchives || now.Sub(info.ModTime()).Abs() < archiveRest) {
		t.undecided[filepath.Dir(one.path)] = true
		_ = descriptor.Close()
		return nil
	}
	text := openArchive(descriptor, info.Size())
	f := &file{id: id, isArchive: true, position: Checkpoint{Path: one.path, Device: id.Device, Inode: id.Inode, Packed: text.packed}}
	f.found(one, t.polls)
	var known *file
	var busy bool
	if !first { // then it counts as read, whatever its text is
		known, busy = t.originOf(ctx, f, text)
	}
	isThere := known != nil && known.isThere(t.polls)
	switch {
	case first || isThere && known.state == idle && known.hasReadAll(ctx, text):
		_ = text.Close()
		f.position.End, f.size, f.modified = true, info.Size(), info.ModTime()
		t.assign(f)
		if f.reader.Read(ctx, nil, f.position) == nil {
			t.add(f)
		}
		return nil
	case busy, isThere:
		t.undecided[f.dir] = true
		_ = text.Close()
		return nil
	}
	t.newBudget--
	f.descriptor = text
	t.open++
	t.archives++
	if known != nil {
		t.continueIn(known, f)
		return known
	}
	t.assign(f)
	t.add(f)
	return f
}

func (t *Tailer) add(f *file) {
	t.follow(f)
	t.byID[f.id] = f
	delete(t.copies, f.id)
}

// assign gives a file a reader of its own.
func (t *Tailer) assign(f *file) {
	f.reader, f.named = t.NewReader(), f.path
	f.reader.Renamed(f.path)
}

// originOf returns the file whose text an archive has: the same archive, a file that is still there and begins so, or a
// file that is gone or of the last run. The archive must have all text that was read of the latter. Busy means that it may
// be a file that waits for its turn, or that a worker reads.
func (t *Tailer) originOf(ctx context.Context, f *file, text *archive) (known *file, busy bool) {
	for _, other := range t.files {
		isThere := other.isThere(t.polls)
		switch {
		case other.dir != f.dir || other.failed:
		case isThere && other.inodeDoubtful && (other.state != idle || other.unread):
			return nil, true // it may be gone, and another file have its inode
		case !isThere && other.state != idle:
			return nil, true // the worker owns its checkpoint
		case other.isArchive && other.packed() == text.packed, isThere && !other.isArchive && t.beginsWith(other, text):
			return other, false
		case isThere && t.truncatedAfterArchive(ctx, other, text):
			return nil, true // its next turn detects that
		case !isThere && (known == nil || known.position.Offset < other.position.Offset) && text.continues(ctx, &other.position):
			known = other
		}
	}
	return known, false
}

func (f *file) isThere(poll uint64) bool { return f.origin == foundFile && f.seen == poll }

// maxVerified bounds what a poll decompresses of an archive, in bytes of its text, to find the file that it continues.
const maxVerified = 64 << 20

// hasReadAll reports whether nothing of a text is new to the file that begins so.
func (f *file) hasReadAll(ctx context.Context, text *archive) bool {
	return f.isArchive && f.position.End || text.endsBefore(ctx, f.position.Offset)
}

// endsBefore reports whether a text is no longer than what was read of the file that begins so.
func (a *archive) endsBefore(ctx context.Context, offset int64) bool {
	return offset <= maxVerified && a.skip(ctx, offset+1) && errors.Is(a.err, io.EOF) && a.at <= offset
}

// continues reports whether a text has what was read up to a checkpoint. The beginning alone proves nothing: all files
// of a program may have the same.
func (a *archive) continues(ctx context.Context, position *Checkpoint) bool {
	return position.Offset > 0 && position.First.in(a) &&
		(position.Offset > maxVerified || a.skip(ctx, position.Offset) && position.matches(a, a.textSize()))
}

// packed returns the end of the compressed file of an archive.
func (f *file) packed() Span {
	if text, ok := f.descriptor.(*archive); ok {
		return text.packed // a worker may own the checkpoint
	}
	return f.position.Packed
}

// truncatedAfterArchive reports whether a text has what was read of a file, but the file no longer does.
func (t *Tailer) truncatedAfterArchive(ctx context.Context, f *file, text *archive) bool {
	if f.isArchive || len(f.head) == 0 || !f.hasHead(text.head) || f.state == idle && !f.unread {
		return false
	}
	if f.state == busy {
		return true // the worker owns its checkpoint
	}
	original, done := t.original(f)
	if original == nil {
		return true
	}
	defer done()
	return f.truncated(original) && text.continues(ctx, &f.position)
}

// beginsWith reports whether a file begins with the text of an archive, by blockBytes of it.
func (t *Tailer) beginsWith(f *file, text *archive) bool {
	if !f.hasHead(text.head) {
		return false
	}
	descriptor, done := t.original(f)
	if descriptor == nil {
		return false
	}
	defer done()
	packed, plain := make([]byte, blockBytes), make([]byte, blockBytes)
	n, _ := text.ReadAt(packed, 0)
	m, _ := descriptor.ReadAt(plain[:n], 0)
	return n > 0 && m == n && bytes.Equal(packed[:n], plain[:n]) && (n == blockBytes || errors.Is(text.err, io.EOF))
}

func (t *Tailer) continueIn(known, f *file) {
	t.close(known)
	if t.byID[known.id] == known {
		delete(t.byID, known.id)
	}
	position := known.position
	position.Device, position.Inode, position.Packed = f.id.Device, f.id.Inode, f.position.Packed
	position.End = position.End && known.position.Packed == f.position.Packed
	known.position, known.id, known.isArchive, known.descriptor = position, f.id, true, f.descriptor
	known.setPath(f.path)
	known.root, known.rel, known.seen, known.goneSince = f.root, f.rel, f.seen, f.goneSince
	known.origin, known.action, known.head, known.turn = foundFile, keepReading, nil, 0
	known.ended, known.deleted, known.inodeDoubtful = false, false, false
	t.add(known)
}

// runArchive reads the next bytes of an archive's text, and ends the file after the last.
func (f *file) runArchive(ctx context.Context, text *archive, buffer []byte) (out outcome, zeros int64) {
	info, err := text.Stat()
	if err != nil {
		return outcome{}, 0
	}
	f.size, f.modified = info.Size(), info.ModTime()
	if !f.position.End || f.position.Packed != text.packed {
		if !text.skip(ctx, f.position.Offset) {
			return outcome{more: true}, 0
		}
		if !f.position.matches(text, text.textSize()) {
			return outcome{truncated: true}, 0 // another archive has the inode now, and the position is of the one before
		}
		f.position.End, f.position.Packed = false, text.packed
		f.findMidLine()
		if out, zeros = f.run(ctx, buffer); out.more || out.truncated || out.err != nil {
			return out, zeros
		}
		out.lost, out.lostErr = text.lost()
		f.position.End = true
	}
	out.finished = true
	if out.err = f.reader.Read(ctx, nil, f.position); out.err == nil {
		out.err = f.reader.Ended(ctx)
	}
	return out, zeros
}
