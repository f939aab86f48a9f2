// SPDX-License-Identifier: Apache-2.0

package diskqueue

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/otelcol-tc/otelcol-tc/internal/disk"
)

const (
	// windowBytes is how much a reader reads at once. Small records share a read, and headers of large
	// ones do not cost much.
	windowBytes = 16 << 10
	// blockBytes is how much a search leaves out where the disk does not read.
	blockBytes = 4 << 10
)

// errDamaged means that there is no valid record. It is not an error of the disk, so trying again does not
// help.
var errDamaged = errors.New("damaged record")

// reader reads the records of a segment up to its end. It is not safe for concurrent use.
type reader struct {
	file   disk.File
	number uint64
	end    int64
	window []byte // the bytes that begin at from
	from   int64
}

func newReader(f disk.File, number uint64, end int64) *reader {
	return &reader{file: f, number: number, end: end}
}

// view returns the bytes of the window from an offset on: at least n, or all up to the end if that is
// less. n is at most windowBytes. The bytes are valid until the next call.
func (r *reader) view(offset int64, n int) ([]byte, error) {
	n = int(min(int64(n), r.end-offset))
	if offset < r.from || offset+int64(n) > r.from+int64(len(r.window)) {
		if r.window == nil {
			r.window = make([]byte, windowBytes)
		}
		read, err := r.file.ReadAt(r.window[:min(windowBytes, r.end-offset)], offset)
		r.from, r.window = offset, r.window[:read]
		if read < n {
			return nil, damagedIfShort(err)
		}
	}
	return r.window[offset-r.from:], nil
}

// damagedIfShort returns errDamaged if an error means that the file has fewer bytes than it should.
func damagedIfShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: the file is too short", errDamaged)
	}
	return err
}

// header returns the header at an offset. Its length is within the segment.
func (r *reader) header(offset int64) (header, error) {
	if offset < 0 || offset > r.end-headerBytes {
		return header{}, errDamaged
	}
	b, err := r.view(offset, headerBytes)
	if err != nil {
		return header{}, err
	}
	h, valid := decodeHeader(b, position{r.number, offset})
	if !valid || h.size() > r.end-offset {
		return header{}, errDamaged
	}
	return h, nil
}

func (r *reader) payload(offset int64, h header) ([]byte, error) {
	offset += headerBytes
	payload := make([]byte, h.length)
	if len(payload) <= windowBytes {
		b, err := r.view(offset, len(payload))
		if err != nil {
			return nil, err
		}
		copy(payload, b)
	} else if _, err := r.file.ReadAt(payload, offset); err != nil {
		return nil, damagedIfShort(err)
	}
	if crc32.Checksum(payload, castagnoli) != h.sum {
		return nil, errDamaged
	}
	return payload, nil
}

// behind returns where to go on behind a record at an offset that cannot be read: at the end of the record
// if its header is valid, else at the next valid header, or at the end of the segment. The error is the
// first read error of the search.
func (r *reader) behind(offset int64) (int64, error) {
	if h, err := r.header(offset); err == nil {
		return offset + h.size(), nil
	}
	return r.find(offset + 1)
}

// find returns the offset of the first valid header from an offset on, or the end.
func (r *reader) find(offset int64) (int64, error) {
	var failed error
	for offset <= r.end-headerBytes {
		b, err := r.view(offset, headerBytes)
		switch {
		case errors.Is(err, errDamaged):
			return r.end, failed // the file ends here
		case err != nil:
			if failed == nil {
				failed = err
			}
			offset = (offset/blockBytes + 1) * blockBytes
			continue
		}
		i := bytes.Index(b, []byte(magic))
		if i < 0 {
			offset += int64(len(b)) - int64(len(magic)) + 1
			continue
		}
		offset += int64(i)
		if _, err := r.header(offset); err == nil {
			return offset, failed
		}
		offset++
	}
	return r.end, failed
}

// contents is what a scan of a segment found.
type contents struct {
	records int
	items   int
	first   int64 // time of the first record
	end     int64 // end of the last record
	damaged int64 // bytes between records that are none
	err     error // first read error: there may be more records
}

// scan reads the headers from an offset on, and checks the payloads if told to.
func (r *reader) scan(from int64, payloads bool) contents {
	c := contents{end: from}
	for offset := from; offset < r.end; {
		h, err := r.header(offset)
		if err == nil && payloads {
			_, err = r.payload(offset, h)
		}
		if err != nil {
			next, searching := r.behind(offset)
			for _, err := range []error{err, searching} {
				if c.err == nil && err != nil && !errors.Is(err, errDamaged) {
					c.err = err
				}
			}
			offset = next
			continue
		}
		if c.records == 0 {
			c.first = h.time
		}
		c.records++
		c.items += int(h.items)
		c.damaged += offset - c.end
		offset += h.size()
		c.end = offset
	}
	return c
}
