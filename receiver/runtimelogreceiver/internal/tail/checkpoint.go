// SPDX-License-Identifier: Apache-2.0

package tail

import (
	"bytes"
	"io"
	"time"

	"github.com/zeebo/xxh3"
)

// comparedBytes is how many bytes at a file's beginning, and before an offset, are compared to
// recognise the file. No span is longer.
const comparedBytes = 1000

// Checkpoint is the position up to which a file was read. It identifies the file by inode and
// content, because inodes are reused and files are renamed.
type Checkpoint struct {
	Path          string
	Device, Inode uint64 `json:",omitempty"`
	Offset        int64
	// First is the span at the beginning of the file, Last the span before Offset.
	First, Last Span
	// Packed is the end of the compressed file if the file is an archive. Offsets are those of its
	// text then, and End means that all of the text was read.
	Packed Span `json:",omitzero"`
	End    bool `json:",omitzero"`
	// Modified is the time of the file's last write.
	Modified time.Time `json:"-"`
}

// Span is a part of a file, identified by a hash. An empty span is in every file.
type Span struct {
	From, To int64
	Hash     uint64
}

// newSpan returns the span of a text at an offset.
func newSpan(from int64, text []byte) Span {
	return Span{from, from + int64(len(text)), xxh3.Hash(text)}
}

// in reports whether a file contains the span. It returns false if the file cannot be read.
func (s Span) in(file io.ReaderAt) bool {
	if s.From == s.To {
		return true
	}
	size := s.To - s.From
	if s.From < 0 || size < 0 || size > comparedBytes {
		return false
	}
	text := make([]byte, size)
	n, _ := file.ReadAt(text, s.From)
	return n == len(text) && xxh3.Hash(text) == s.Hash
}

// matches reports whether the file, of the given size, can be the one of the checkpoint.
func (c *Checkpoint) matches(file io.ReaderAt, size int64) bool {
	return c.Offset <= size && c.First.in(file) && c.Last.in(file)
}

// advance moves the checkpoint to an offset. Text is what was read last before the offset.
func (c *Checkpoint) advance(file io.ReaderAt, offset int64, text []byte) {
	c.Offset = offset
	text = textBefore(file, offset, text)
	c.Last = newSpan(offset-int64(len(text)), text)
	if c.First.To < comparedBytes && c.First.To < offset {
		var buffer [comparedBytes]byte
		if n, _ := file.ReadAt(buffer[:min(offset, comparedBytes)], 0); n > 0 {
			c.First = newSpan(0, buffer[:n])
		}
	}
}

// textBefore returns at most comparedBytes before an offset. Text is what was read last before it.
func textBefore(file io.ReaderAt, offset int64, text []byte) []byte {
	if from := len(text) - comparedBytes; from >= 0 {
		return text[from:]
	}
	// A short text is in many files.
	all := make([]byte, min(offset, comparedBytes))
	if n, _ := file.ReadAt(all, offset-int64(len(all))); n == len(all) && bytes.HasSuffix(all, text) {
		return all
	}
	return text
}
