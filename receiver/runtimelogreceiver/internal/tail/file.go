package tail

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Reader takes what is read of one file, and stays with it when it is renamed. No two of
// its methods are called at the same time.
type Reader interface {
	// Read takes the next bytes: whole lines, but where a line is not written to its end
	// yet or is longer than what is read at once. They are read when it returns nil, and
	// at says so. After an error nothing more is read of the file.
	Read(ctx context.Context, text []byte, at Checkpoint) error
	// Renamed notes the file's path, before anything is read and when it changes.
	Renamed(path string)
	// Ended notes that what follows, if anything does, is no continuation.
	Ended(ctx context.Context) error
	// Forgotten notes that the checkpoint is not needed any more.
	Forgotten(ctx context.Context)
}

// file is one that is followed. While a worker has it, the worker owns at, reader and
// what they are about; all else is guarded by Tailer.mu.
type file struct {
	reader Reader
	at     Checkpoint
	// midLine tells that what was read ends in the middle of a line.
	midLine bool
	// head is how that began which was read of the file.
	head []byte
	// descriptor is open or nil.
	descriptor *os.File

	id        identity
	path, dir string
	root, rel string
	// named is the path that the reader knows; the worker's.
	named string
	state state
	// seen is the last poll that found it, turn the last one read of it.
	seen, turn uint64
	// size and modified are as the last turn found them.
	size     int64
	modified time.Time
	// goneSince is when no pattern matched it any more, and zero while one does.
	goneSince time.Time
	// origin tells where a file without a name comes from.
	origin origin
	// before is what was in it before it was truncated the last time.
	before *file
	// doubtful tells that its number may have become another file's.
	doubtful bool
	// last is what the next turn is for.
	last lastTurn
	// ended tells that nothing is held any more, deleted that the open file has no name,
	// and failed that no more is read.
	ended, deleted, failed bool
}

// state is where a file is between the poll and the workers.
type state uint8

const (
	idle state = iota
	queued
	busy // a worker has it
)

// origin is where a file comes from.
type origin uint8

const (
	foundFile origin = iota
	// restoredFile was read by the last run and was not found yet.
	restoredFile
	// replacedFile is what was in a file before it was truncated. A copy may have it.
	replacedFile
)

// lastTurn is what is to be done with a file that is gone.
type lastTurn uint8

const (
	goOn lastTurn = iota
	endIt
	forgetIt
)

func (f *file) setPath(path string) {
	if path != f.path {
		f.path, f.dir = path, filepath.Dir(path)
	}
}

// changed reports whether a file is not as the last turn left it.
func (f *file) changed(info fs.FileInfo) bool {
	return info.Size() != f.size || !info.ModTime().Equal(f.modified)
}

// opened takes an open file.
func (f *file) opened(descriptor *os.File) {
	f.descriptor, f.midLine = descriptor, false
	if f.at.Offset == 0 {
		f.head = headOf(descriptor)
	} else {
		var before [1]byte
		n, _ := descriptor.ReadAt(before[:], f.at.Offset-1)
		f.midLine = n == 1 && before[0] != '\n' && before[0] != 0
	}
}

func (f *file) close() {
	if f.descriptor != nil {
		_ = f.descriptor.Close()
		f.descriptor = nil
	}
}
