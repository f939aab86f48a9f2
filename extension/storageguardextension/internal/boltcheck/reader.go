package boltcheck

import (
	"errors"
	"io"
)

// reader reads again once what could not be read, and keeps the error of what still cannot be:
// the walk may go on without it, as with one of the meta pages. The end of the file is no error
// of reading.
type reader struct {
	file   io.ReaderAt
	failed error
}

func (r *reader) ReadAt(b []byte, at int64) (n int, err error) {
	for range 2 {
		n, err = r.file.ReadAt(b, at)
		if err == nil || errors.Is(err, io.EOF) {
			return n, err
		}
	}
	r.failed = err
	return n, err
}
