package tail

import (
	"io"
	"time"

	"github.com/zeebo/xxh3"
)

// comparedBytes is how much of a file's beginning, and of what is before an offset, tells
// that it is the same file.
const comparedBytes = 1000

// maxCompared is the longest span that is compared. Those of releases before 0.5 are as long
// as a line.
const maxCompared = 4 << 20

// Checkpoint is how far a file was read. The file is identified by its inode and by
// its content: inode numbers are reused, and files are renamed.
type Checkpoint struct {
	Path          string
	Device, Inode uint64 `json:",omitempty"`
	Offset        int64
	// First is the beginning of the file, Last what is before Offset.
	First, Last Span
	// Modified is when the file was last written.
	Modified time.Time `json:"-"`
}

// Span is a part of a file, known by its hash. An empty one says nothing.
type Span struct {
	From, To int64
	Hash     uint64
}

// NewSpan returns the span of a text at an offset.
func NewSpan(from int64, text []byte) Span {
	return Span{from, from + int64(len(text)), xxh3.Hash(text)}
}

// in reports whether a file has the span. A file that cannot be read has not.
func (s Span) in(file io.ReaderAt) bool {
	if s.From == s.To {
		return true
	}
	size := s.To - s.From
	if s.From < 0 || size < 0 || size > maxCompared {
		return false
	}
	text := make([]byte, size)
	n, _ := file.ReadAt(text, s.From)
	return n == len(text) && xxh3.Hash(text) == s.Hash
}

// matches reports whether a file of that size can be the one that the checkpoint is of.
func (c *Checkpoint) matches(file io.ReaderAt, size int64) bool {
	return c.Offset <= size && c.First.in(file) && c.Last.in(file)
}

// advance notes that what ends at an offset has been read, text being its end.
func (c *Checkpoint) advance(file io.ReaderAt, offset int64, text []byte) {
	c.Offset = offset
	if from := len(text) - comparedBytes; from > 0 {
		text = text[from:]
	}
	c.Last = NewSpan(offset-int64(len(text)), text)
	if c.First.To < comparedBytes && c.First.To < offset {
		var buffer [comparedBytes]byte
		if n, _ := file.ReadAt(buffer[:min(offset, comparedBytes)], 0); n > 0 {
			c.First = NewSpan(0, buffer[:n])
		}
	}
}
