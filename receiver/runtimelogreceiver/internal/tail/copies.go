// SPDX-License-Identifier: Apache-2.0

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
	// headBytes is how much of the beginning of each file is kept, in bytes. It distinguishes
	// most files.
	headBytes = 64
	// blockBytes is how much of two files is compared at once, in bytes.
	blockBytes = 64 << 10
	// sampledBlocks bounds the blocks of two files that are compared: 1 MiB.
	sampledBlocks = 16
	// maxCompares bounds the blocks that a poll compares, so that many files with the same
	// beginning do not take all of its time.
	maxCompares = 1000
)

func headOf(file io.ReaderAt) []byte {
	head := make([]byte, headBytes)
	n, _ := file.ReadAt(head, 0)
	return head[:n]
}

// hasHead reports whether a file and one that begins with a head begin in the same way, as far as both are known.
func (f *file) hasHead(head []byte) bool {
	common := min(len(head), len(f.head))
	return bytes.Equal(head[:common], f.head[:common])
}

// fileCopy is a file with the same content as the beginning of a followed file: a rotation that
// copies the file, and then truncates the original. The copy is not read until they differ.
// When the original was truncated, reading continues in the copy.
type fileCopy struct {
	original *file
	size     int64
	modified time.Time
	seen     uint64
	// read means that all that the copy has was read of its original. Before that, the original could be truncated
	// and nobody would see it: each poll compares them again.
	read bool
}

// knownByContent returns the file of the last run, or from before a truncation, that a found
// file continues. It returns nil if there is none.
func (t *Tailer) knownByContent(one found, id identity, descriptor io.ReaderAt, size int64) *file {
	if c := t.copies[id]; c != nil && c.original.origin == replacedFile {
		if f := c.original; f.state == idle && !f.ended {
			if f.position.matches(descriptor, size) {
				return f
			}
			// It has only the beginning of what was read, or is another file that began in the same way.
			g := &file{reader: t.NewReader(), position: Checkpoint{Path: one.path}}
			if c.size < f.position.Offset && c.size <= size {
				g.position.advance(descriptor, lineBefore(descriptor, c.size), nil)
			}
			return g
		}
	}
	dir := filepath.Dir(one.path)
	var best *file
	var bestRank int
	for _, f := range t.files {
		if f.state != idle || f.failed || f.position.Offset == 0 {
			continue
		}
		if f.origin == foundFile && !f.archiveOf(one.path) {
			continue
		}
		rank := 0
		switch {
		case f.origin == restoredFile && f.position.Inode == id.Inode && f.position.Inode != 0:
			rank = 3
		case f.path == one.path && f.origin == restoredFile:
			rank = 2
		case f.dir == dir:
			rank = 1
		}
		better := rank > bestRank || rank == bestRank && best != nil && f.position.Offset > best.position.Offset
		if better && t.owner(f) == t.Owner(one.path) && f.position.matches(descriptor, size) {
			best, bestRank = f, rank
		}
	}
	return best
}

// lineBefore returns where the line begins that an offset is in, or the offset if the line is long.
func lineBefore(file io.ReaderAt, offset int64) int64 {
	text := make([]byte, min(offset, bufferBytes))
	n, _ := file.ReadAt(text, offset-int64(len(text)))
	if newline := bytes.LastIndexByte(text[:n], '\n'); newline >= 0 || int64(n) == offset {
		return offset - int64(len(text)) + int64(newline) + 1
	}
	return offset
}

// archiveOf reports whether a file is the archive of another one, by their names.
func (f *file) archiveOf(path string) bool { return f.isArchive && f.path == path+archiveSuffix }

// stillCopied reports whether a file is a known copy that has not changed, of an original that
// is still followed.
func (t *Tailer) stillCopied(id identity, info fs.FileInfo) bool {
	c := t.copies[id]
	if c == nil {
		return false
	}
	c.seen = t.polls
	if c.size != info.Size() || !c.modified.Equal(info.ModTime()) {
		return false
	}
	return c.read && t.follows(c.original) && c.original.origin == foundFile
}

// copyOf reports whether a new file must not be read now: it is a copy of a followed file in
// its directory, or the next poll has to decide.
func (t *Tailer) copyOf(one found, id identity, descriptor *os.File, info fs.FileInfo) bool {
	size := info.Size()
	if size == 0 {
		return true // a copy is empty at first, and there is nothing to read
	}
	head, dir := headOf(descriptor), filepath.Dir(one.path)
	for _, f := range t.files {
		if f.origin != foundFile || f.isArchive || f.dir != dir || !f.hasHead(head) {
			continue
		}
		if t.compareBudget <= 0 {
			return true
		}
		t.compareBudget--
		original, done := t.original(f)
		if original == nil {
			if f.seen == t.polls {
				return true // it was just renamed
			}
			continue
		}
		isCopy, blocks := t.same(descriptor, original, size)
		truncated := f.state == busy || f.truncatedAfterCopy(original, descriptor)
		t.compareBudget -= blocks
		done()
		if isCopy {
			read := f.state == idle && f.position.Offset >= size
			t.copies[id] = &fileCopy{original: f, size: size, modified: info.ModTime(), seen: t.polls, read: read}
		}
		if isCopy || truncated {
			return true // the next turn of a truncated file detects the truncation
		}
	}
	return false
}

// original returns the descriptor of a followed file, and a function to call after its use. It
// returns nil if the file is no longer at its path.
func (t *Tailer) original(f *file) (*os.File, func()) {
	if open, ok := f.descriptor.(*os.File); ok {
		return open, func() {}
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

// truncatedAfterCopy reports whether a copy contains what was read of a file, but the file no
// longer does.
func (f *file) truncatedAfterCopy(original, duplicate *os.File) bool {
	if !f.truncated(original) {
		return false
	}
	full, err := duplicate.Stat() // the copy may just have become complete
	return err == nil && f.position.matches(duplicate, full.Size())
}

// truncated reports whether an open file no longer has what was read of it.
func (f *file) truncated(original *os.File) bool {
	info, err := original.Stat()
	return err == nil && !f.position.matches(original, info.Size())
}

// same reports whether the first size bytes of two files are equal, and how many blocks it
// compared after the first one. Up to 1 MiB it compares all bytes. Beyond that it compares
// sampledBlocks blocks, spread evenly from the first byte to the last.
func (t *Tailer) same(a, b io.ReaderAt, size int64) (isSame bool, blocks int) {
	if t.blocks == nil {
		t.blocks = make([]byte, 2*blockBytes)
	}
	length := min(size, blockBytes)
	first, second := t.blocks[:length], t.blocks[blockBytes:][:length]
	last := size - length // where the last block begins
	more := min((last+blockBytes-1)/blockBytes, sampledBlocks-1)
	step := (last + max(more, 1) - 1) / max(more, 1) // rounded up, so that there is no gap up to 1 MiB
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

func (t *Tailer) hasCopy(f *file) bool {
	for _, c := range t.copies {
		if c.original == f {
			return true
		}
	}
	return false
}

// replace starts a truncated file from its beginning. A second file holds the old state until
// its copy is found.
func (t *Tailer) replace(f *file) {
	old := &file{
		reader: f.reader, position: f.position, path: f.path, dir: f.dir, named: f.named,
		origin: replacedFile, goneSince: time.Now(), size: f.position.Offset,
	}
	t.follow(old)
	if f.before != nil && f.before.origin == replacedFile {
		f.before.goneSince = time.Time{}.Add(1) // do not wait for its copy any longer
	}
	f.before = old
	for _, c := range t.copies {
		if c.original == f {
			c.original = old
		}
	}
	f.reader, f.named = t.NewReader(), ""
	f.position = Checkpoint{Path: f.path, Device: f.id.Device, Inode: f.id.Inode}
	f.midLine, f.head = false, headOf(f.descriptor)
}
