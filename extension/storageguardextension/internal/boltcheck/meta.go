package boltcheck

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// What a meta page says, after the header that all pages have. bbolt writes numbers as the
// machine has them.
const (
	metaPages     = 2
	metaSize      = 64
	metaSummed    = metaSize - 8
	magic         = 0xED0CDAED
	version       = 2
	noFreelist    = ^uint64(0)
	leastPageSize = 1 << 10
	mostPageSize  = 16 << 20
)

// meta is the state of a file after a transaction.
type meta struct {
	pageSize    uint64
	root        uint64 // the page of the root bucket
	freelist    uint64 // its page, or noFreelist
	pages       uint64 // how many the file has in use or had
	transaction uint64
}

// readMeta returns the newer of the two metas of a file, as far as they are whole: bbolt
// writes them in turn, and goes by the older when the newer was not written to its end.
func readMeta(file io.ReaderAt, size int64) (meta, error) {
	first, firstErr := readMetaAt(file, 0)
	if firstErr != nil {
		return secondMeta(file, size, firstErr)
	}
	second, err := readMetaAt(file, int64(first.pageSize))
	if err == nil && second.transaction > first.transaction {
		return second, nil
	}
	return first, nil
}

// secondMeta finds the second meta without the first, which would say where it is.
func secondMeta(file io.ReaderAt, size int64, firstErr error) (meta, error) {
	for at := int64(leastPageSize); at <= mostPageSize && at < size; at *= 2 {
		if m, err := readMetaAt(file, at); err == nil && m.pageSize == uint64(at) {
			return m, nil
		}
	}
	return meta{}, fmt.Errorf("no meta page is whole: %w", firstErr)
}

func readMetaAt(file io.ReaderAt, at int64) (meta, error) {
	b := make([]byte, metaSize)
	if _, err := file.ReadAt(b, at+pageHeaderSize); err != nil {
		return meta{}, err
	}
	sum := fnv.New64a()
	sum.Write(b[:metaSummed])
	number := binary.NativeEndian
	m := meta{
		pageSize:    uint64(number.Uint32(b[8:])),
		root:        number.Uint64(b[16:]),
		freelist:    number.Uint64(b[32:]),
		pages:       number.Uint64(b[40:]),
		transaction: number.Uint64(b[48:]),
	}
	switch {
	case number.Uint32(b) != magic:
		return meta{}, errors.New("it has another magic number")
	case number.Uint32(b[4:]) != version:
		return meta{}, fmt.Errorf("it has version %d", number.Uint32(b[4:]))
	case number.Uint64(b[metaSummed:]) != sum.Sum64():
		return meta{}, errors.New("its checksum is wrong")
	case m.pageSize < leastPageSize || m.pageSize > mostPageSize:
		return meta{}, fmt.Errorf("it has pages of %d bytes", m.pageSize)
	}
	return m, nil
}
