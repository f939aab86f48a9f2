// SPDX-License-Identifier: Apache-2.0

package tail

import (
	"context"
	"io/fs"
	"path/filepath"
	"time"
)

// Reader receives what is read of one file. A renamed file keeps its Reader. Methods of one
// Reader are never called concurrently.
type Reader interface {
	// Read receives the next bytes. They are whole lines, unless a line is incomplete or longer
	// than one read. After nil, the bytes count as read up to the position. After an error, the file is
	// not read any more.
	Read(ctx context.Context, text []byte, position Checkpoint) error
	// Renamed receives the file's path, before the first Read and after each change.
	Renamed(path string)
	// Ended reports that the file has ended. Bytes that follow are not a continuation.
	Ended(ctx context.Context) error
	// Forgotten reports that the checkpoint is no longer needed.
	Forgotten(ctx context.Context)
}

// file is a followed file. While a worker reads it, the worker owns position, reader and what depends
// on them. Tailer.mu guards all other fields.
type file struct {
	reader Reader
	// position is how far the file was read.
	position Checkpoint
	// midLine means that the bytes read end in the middle of a line.
	midLine bool
	// head is the beginning of the file.
	head []byte
	// descriptor is the open file, or nil.
	descriptor source

	index     int // in Tailer.files
	id        identity
	path, dir string
	root, rel string
	// named is the path that the reader has received. The worker owns it.
	named string
	state state
	// seen is the last poll that found the file, and turn the last turn that read it.
	seen, turn uint64
	// unread means that the last poll found the file changed since.
	unread bool
	// size and modified are the file's state at the last turn.
	size     int64
	modified time.Time
	// goneSince is since when no pattern matches the file, or zero while one does.
	goneSince time.Time
	// origin is where the file comes from.
	origin origin
	// isArchive means that the file is compressed: position and head are those of its text.
	isArchive bool
	// before is the file's state before its last truncation.
	before *file
	// inodeDoubtful means that another file may have got the inode in the meantime.
	inodeDoubtful bool
	// action is what the next turn has to do with a file that is gone.
	action goneAction
	// ended means that the reader holds nothing any more, deleted that the open file has no
	// name, failed that the file is not read any more.
	ended, deleted, failed bool
	owner                  *string // whose it is, or nil while that is not known
}

// state is the file's position between the poll and the workers.
type state uint8

const (
	idle state = iota
	queued
	busy // a worker reads it
)

// origin is where a file comes from.
type origin uint8

const (
	foundFile origin = iota
	// restoredFile was read by the last run, and is not found yet.
	restoredFile
	// replacedFile is the state of a file before its truncation. A copy may continue it.
	replacedFile
)

// goneAction is what to do with a file that is gone.
type goneAction uint8

const (
	keepReading goneAction = iota
	endFile
	forgetFile
)

func (f *file) setPath(path string) {
	if path != f.path {
		f.path, f.dir, f.owner = path, filepath.Dir(path), nil
	}
}

// changed reports whether a file differs from its state at the last turn.
func (f *file) changed(info fs.FileInfo) bool {
	return info.Size() != f.size || !info.ModTime().Equal(f.modified)
}

// opened sets the descriptor, and reads the state that depends on it.
func (f *file) opened(descriptor source) {
	f.descriptor, f.midLine = descriptor, false
	if f.position.Offset == 0 {
		f.head = headOf(descriptor)
	}
	if !f.isArchive { // the text up to the offset is not decompressed yet
		f.findMidLine()
	}
}

func (f *file) findMidLine() {
	if f.position.Offset == 0 {
		return
	}
	var before [1]byte
	n, _ := f.descriptor.ReadAt(before[:], f.position.Offset-1)
	f.midLine = n == 1 && before[0] != '\n' && before[0] != 0
}

func (f *file) close() {
	if f.descriptor != nil {
		_ = f.descriptor.Close()
		f.descriptor = nil
	}
}
