package tail

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	// headBytes is how much of each file's beginning is kept, to know most files apart.
	headBytes = 64
	// blockBytes is how much of two files is compared at once.
	blockBytes = 64 << 10
	// sampledBlocks is how many blocks of two files are compared: 1 MiB.
	sampledBlocks = 16
	// maxCompares is how many blocks a poll compares. Who has many files that begin the same
	// must not take the time of others.
	maxCompares = 1000
)

func headOf(file io.ReaderAt) []byte {
	head := make([]byte, headBytes)
	n, _ := file.ReadAt(head, 0)
	return head[:n]
}

// copied is a file that is the same as the beginning of one that is followed: a rotation
// that copies, and then truncates the original. It is not read while that lasts. When the
// original begins anew, the copy goes on where that was.
type copied struct {
	original *file
	size     int64
	modified time.Time
	seen     uint64
}

// known returns a file of the last run, or one that was truncated, that is the one found.
func (t *Tailer) known(one found, id identity, descriptor io.ReaderAt, size int64) *file {
	if c := t.copies[id]; c != nil && c.original.origin == replacedFile {
		if f := c.original; f.state == idle && !f.ended {
			if size < f.at.Offset {
				// What was read after the copy was made is not in it.
				f.at.Offset, f.at.Last = size, Span{}
			}
			return f
		}
	}
	dir := filepath.Dir(one.path)
	var best *file
	var bestRank int
	for f := range t.files {
		if f.origin == foundFile || f.state != idle || f.failed || f.at.Offset == 0 {
			continue
		}
		rank := 0
		switch {
		case f.origin == restoredFile && f.at.Inode == id.Inode && f.at.Inode != 0:
			rank = 3
		case f.path == one.path && f.origin == restoredFile:
			rank = 2
		case f.dir == dir:
			rank = 1
		}
		if rank > bestRank && f.at.matches(descriptor, size) {
			best, bestRank = f, rank
		}
	}
	return best
}

// stillCopied reports whether a file is known as a copy, and neither has changed.
func (t *Tailer) stillCopied(id identity, info fs.FileInfo) bool {
	c := t.copies[id]
	if c == nil {
		return false
	}
	c.seen = t.polls
	if c.size != info.Size() || !c.modified.Equal(info.ModTime()) {
		return false
	}
	_, follows := t.files[c.original]
	return follows && c.original.origin == foundFile
}

// copyOf reports whether a new file is a copy of one in its directory that is followed, or
// whether that is left to the next poll.
func (t *Tailer) copyOf(one found, id identity, descriptor *os.File, info fs.FileInfo) bool {
	size := info.Size()
	if size == 0 {
		return true // a copy is empty at first; there is nothing to read anyway
	}
	head, dir := headOf(descriptor), filepath.Dir(one.path)
	for f := range t.files {
		common := min(len(head), len(f.head))
		if f.origin != foundFile || f.dir != dir || !bytes.Equal(head[:common], f.head[:common]) {
			continue
		}
		if t.compares <= 0 {
			return true
		}
		t.compares--
		original, done := t.original(f)
		if original == nil {
			if f.seen == t.polls {
				return true // it was just renamed
			}
			continue
		}
		isCopy, blocks := t.same(descriptor, original, size)
		truncated := f.state == busy || f.truncatedAfterCopy(original, descriptor)
		t.compares -= blocks
		done()
		if isCopy {
			t.copies[id] = &copied{original: f, size: size, modified: info.ModTime(), seen: t.polls}
		}
		if isCopy || truncated {
			return true // of one that was truncated its next turn will tell
		}
	}
	return false
}

// original returns the descriptor of a file that is followed, and what to do after its use.
func (t *Tailer) original(f *file) (*os.File, func()) {
	if f.descriptor != nil {
		return f.descriptor, func() {}
	}
	descriptor, info, err := openFile(f.root, f.rel, t.Roots)
	if err != nil {
		return nil, nil
	}
	if identify(f.path, info) != f.id {
		_ = descriptor.Close()
		return nil, nil
	}
	return descriptor, func() { _ = descriptor.Close() }
}

// truncatedAfterCopy reports whether what was read of a file is in a copy, and not in the
// file any more.
func (f *file) truncatedAfterCopy(original, copied *os.File) bool {
	if f.at.Offset == 0 {
		return false
	}
	now, err := original.Stat()
	full, copyErr := copied.Stat() // it may just have become complete
	return err == nil && copyErr == nil && f.at.matches(copied, full.Size()) && !f.at.matches(original, now.Size())
}

// same reports whether the first size bytes of two files are the same, and how many blocks
// that took after the first one. It compares all of up to 1 MiB. Of more it compares
// sampledBlocks blocks, spread evenly from the first byte to the last.
func (t *Tailer) same(a, b io.ReaderAt, size int64) (isSame bool, blocks int) {
	if t.blocks == nil {
		t.blocks = make([]byte, 2*blockBytes)
	}
	length := min(size, blockBytes)
	first, second := t.blocks[:length], t.blocks[blockBytes:][:length]
	last := size - length // where the last block begins
	more := min((last+blockBytes-1)/blockBytes, sampledBlocks-1)
	step := (last + max(more, 1) - 1) / max(more, 1) // rounded up, so that up to 1 MiB leaves no gap
	for i := range more + 1 {
		from := min(i*step, last)
		n, _ := a.ReadAt(first, from)
		m, _ := b.ReadAt(second, from)
		if int64(n) != length || m != n || !bytes.Equal(first, second) {
			return false, int(i)
		}
	}
	return true, int(more)
}

// copied reports whether a file has a copy.
func (t *Tailer) copied(f *file) bool {
	for _, c := range t.copies {
		if c.original == f {
			return true
		}
	}
	return false
}

// replace has a file that was truncated begin anew. What was in it waits for a copy.
func (t *Tailer) replace(f *file) {
	old := &file{
		reader: f.reader, at: f.at, path: f.path, dir: f.dir, named: f.named,
		origin: replacedFile, goneSince: time.Now(), size: f.at.Offset,
	}
	t.files[old] = struct{}{}
	if f.before != nil && f.before.origin == replacedFile {
		f.before.goneSince = time.Time{}.Add(1) // its time is over
	}
	f.before = old
	for _, c := range t.copies {
		if c.original == f {
			c.original = old
		}
	}
	f.reader, f.named = t.NewReader(), ""
	f.at = Checkpoint{Path: f.path, Device: f.id.Device, Inode: f.id.Inode}
	f.midLine, f.head = false, headOf(f.descriptor)
}
