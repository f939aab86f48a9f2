package boltcheck

import (
	"encoding/binary"
	"fmt"
	"io"
)

const (
	pageHeaderSize = 16

	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10
)

// page is one page with those that continue it, or one inside a value.
type page struct {
	name  string // for errors
	kind  uint16
	count int // of its elements
	size  uint64
	head  []byte // its first bytes
	// rest has what is past head, from the page's first byte on.
	rest io.ReaderAt
}

// readPage takes a page, and those that continue it.
func (c *check) readPage(id uint64) (*page, error) {
	if err := c.take(id); err != nil {
		return nil, err
	}
	head := make([]byte, c.meta.pageSize)
	at := int64(id * c.meta.pageSize)
	if _, err := c.file.ReadAt(head, at); err != nil {
		return nil, fmt.Errorf("page %d: %w", id, err)
	}
	number := binary.NativeEndian
	if says := number.Uint64(head); says != id {
		return nil, fmt.Errorf("page %d: says that it is page %d", id, says)
	}
	more := uint64(number.Uint32(head[12:]))
	// The last first: a wrong number is found before many are taken.
	for next := id + more; next > id; next-- {
		if err := c.take(next); err != nil {
			return nil, fmt.Errorf("page %d: is continued by %d pages: %w", id, more, err)
		}
	}
	size := (more + 1) * c.meta.pageSize
	p := newPage(fmt.Sprintf("page %d", id), head, size)
	p.rest = io.NewSectionReader(c.file, at, int64(size))
	return p, nil
}

func newPage(name string, head []byte, size uint64) *page {
	return &page{
		name:  name,
		kind:  binary.NativeEndian.Uint16(head[8:]),
		count: int(binary.NativeEndian.Uint16(head[10:])),
		size:  size,
		head:  head,
	}
}

// has returns an error when so many bytes at an offset are not all in the page.
func (p *page) has(at, n uint64) error {
	if at+n > p.size { // both come from 32 bits, and cannot overflow
		return fmt.Errorf("%s: refers to the bytes %d to %d and has %d", p.name, at, at+n, p.size)
	}
	return nil
}

// bytes returns bytes of the page.
func (p *page) bytes(at, n uint64) ([]byte, error) {
	if err := p.has(at, n); err != nil {
		return nil, err
	}
	if at+n <= uint64(len(p.head)) {
		return p.head[at : at+n], nil
	}
	b := make([]byte, n)
	if _, err := p.rest.ReadAt(b, int64(at)); err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	return b, nil
}
