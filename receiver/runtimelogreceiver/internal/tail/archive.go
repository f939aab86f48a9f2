// SPDX-License-Identifier: Apache-2.0

package tail

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"

	"github.com/klauspost/compress/gzip"
)

const (
	// archiveSuffix is what the kubelet and logrotate append to the name of a compressed file.
	archiveSuffix = ".gz"
	// maxArchive and maxRatio bound what an archive may decompress to, so that a small file
	// cannot make the receiver deliver without an end. Logs reach a ratio of 10 to 100, and
	// gzip one of 1000.
	maxArchive = 4 << 30
	maxRatio   = 250
	// minArchive is what any archive may decompress to.
	minArchive = 1 << 20
	// recentBytes is how much of the decompressed text is kept: what a read leaves to the next
	// one, and the span before it.
	recentBytes = 2 * bufferBytes
	// packedBytes is how much of the end of an archive identifies it. It has the checksum and
	// the size of the text.
	packedBytes = 1000
)

// isArchive reports whether a file is compressed, by its name and its first bytes.
func isArchive(path string, file io.ReaderAt) bool {
	if !strings.HasSuffix(path, archiveSuffix) {
		return false
	}
	var magic [2]byte
	n, _ := file.ReadAt(magic[:], 0)
	return n == len(magic) && magic == [2]byte{0x1f, 0x8b}
}

// source is an open file: the file itself, or the text of an archive.
type source interface {
	io.ReaderAt
	io.Closer
	Stat() (fs.FileInfo, error)
}

// archive is the text of a compressed file. Reads go forward: a read before what is kept
// begins again.
type archive struct {
	*os.File
	// packed is the end of the compressed file. It identifies the archive.
	packed Span
	size   int64 // of the compressed file
	limit  int64 // of the text

	text *gzip.Reader
	// head is the beginning of the text, and recent what was last decompressed, before at.
	head, recent []byte
	at           int64
	// err is why the text ends at its offset at.
	err error
}

// openArchive takes over an open compressed file.
func openArchive(file *os.File, size int64) *archive {
	a := &archive{File: file, size: size, limit: textLimit(size)}
	end := make([]byte, min(size, packedBytes))
	n, _ := file.ReadAt(end, size-int64(len(end)))
	a.packed = newSpan(size-int64(len(end)), end[:n])
	a.rewind()
	for a.err == nil && a.at < comparedBytes {
		a.next()
	}
	a.head = bytes.Clone(a.recent[:min(len(a.recent), comparedBytes)])
	return a
}

func textLimit(packed int64) int64 {
	if packed > maxArchive/maxRatio {
		return maxArchive
	}
	return max(minArchive, packed*maxRatio)
}

func (a *archive) rewind() {
	packed := bufio.NewReaderSize(io.NewSectionReader(a.File, 0, a.size), bufferBytes/2)
	a.at, a.recent, a.err = 0, a.recent[:0], nil
	if a.text == nil {
		a.text, a.err = gzip.NewReader(packed)
	} else {
		a.err = a.text.Reset(packed)
	}
}

var errTooLarge = errors.New("decompresses to more than is allowed for its size")

// next decompresses more. It sets err at the end of the text.
func (a *archive) next() {
	if cap(a.recent) == 0 {
		a.recent = make([]byte, 0, recentBytes)
	}
	if len(a.recent) == recentBytes {
		a.recent = a.recent[:copy(a.recent, a.recent[bufferBytes:])]
	}
	room := a.recent[len(a.recent):recentBytes]
	if left := a.limit - a.at; left < int64(len(room)) {
		room = room[:left]
	}
	if len(room) == 0 {
		// The text may end at just its limit.
		if n, err := io.ReadFull(a.text, make([]byte, 1)); n == 0 {
			a.err = err
		} else {
			a.err = errTooLarge
		}
		return
	}
	n, err := a.text.Read(room)
	a.recent = a.recent[:len(a.recent)+n]
	a.at += int64(n)
	a.err = err
}

// ReadAt implements io.ReaderAt for the text.
func (a *archive) ReadAt(to []byte, offset int64) (int, error) {
	if offset+int64(len(to)) <= int64(len(a.head)) {
		return copy(to, a.head[offset:]), nil
	}
	if offset < a.at-int64(len(a.recent)) {
		a.rewind()
	}
	n := 0
	for {
		if from := a.at - int64(len(a.recent)); offset >= from && offset < a.at {
			copied := copy(to[n:], a.recent[offset-from:])
			n, offset = n+copied, offset+int64(copied)
		}
		if n == len(to) {
			return n, nil
		}
		if a.err != nil {
			return n, a.err
		}
		a.next()
	}
}

// skip decompresses up to an offset, so that a read there is quick. It returns false if ctx
// ends before.
func (a *archive) skip(ctx context.Context, offset int64) bool {
	if offset < a.at-int64(len(a.recent)) {
		a.rewind()
	}
	for a.err == nil && a.at < offset && ctx.Err() == nil {
		a.next()
	}
	return ctx.Err() == nil
}

// textSize returns the size of the text, or a larger one before its end is found.
func (a *archive) textSize() int64 {
	if a.err != nil {
		return a.at
	}
	return math.MaxInt64
}

// lost returns why the text ends before its end, or nothing.
func (a *archive) lost() (Reason, error) {
	switch {
	case a.err == nil, errors.Is(a.err, io.EOF):
		return "", nil
	case errors.Is(a.err, errTooLarge):
		return TooLarge, a.err
	}
	return Damaged, a.err
}

// damaged reports whether the text ends before its end because the archive is damaged, or is not complete yet.
func (a *archive) damaged() bool {
	reason, _ := a.lost()
	return reason == Damaged
}
