package runtimelogreceiver

import (
	"bytes"
	"os"

	"github.com/zeebo/xxh3"
)

// reading is what the file consumer reads of a file at a time.
type reading struct {
	path   string
	offset int64 // of the first piece
	pieces [][]byte
	joined []byte // the pieces, once they are asked for
}

func (r *reading) text() []byte {
	if r.joined == nil {
		r.joined = bytes.Join(r.pieces, nil)
	}
	return r.joined
}

// repeats tells whether it begins with what an entry says was delivered: after the
// consumer's last checkpoint, or one that it stored while it repeated this before.
func (r *reading) repeats(p *progress) bool {
	return p.Start <= r.offset && r.offset < p.End && r.matches(p)
}

// matches tells whether the file is the one that an entry is about.
func (r *reading) matches(p *progress) bool { return r.has(p.First) && r.has(p.Last) }

// has tells whether the file has a part that an entry knows. The path may be another
// file's by now, so it is not asked for what was read.
func (r *reading) has(s span) bool {
	text := r.text()
	if from := s.From - r.offset; from >= 0 && s.To-r.offset <= int64(len(text)) {
		return xxh3.Hash(text[from:s.To-r.offset]) == s.Hash
	}
	file, err := os.Open(r.path)
	if err != nil {
		return false
	}
	defer file.Close()
	text = make([]byte, s.To-s.From)
	_, err = file.ReadAt(text, s.From)
	return err == nil && xxh3.Hash(text) == s.Hash
}
