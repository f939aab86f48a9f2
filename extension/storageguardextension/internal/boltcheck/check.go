package boltcheck

import (
	"fmt"
	"io"
)

// check is one walk through a file.
type check struct {
	file  io.ReaderAt
	meta  meta
	taken []uint64 // a bit for each page that something refers to
}

// Check returns what is wrong with a file of this size, or nil. It reads the pages of the
// trees and their keys, but no values: of the items in a queue that is a small part. An error
// means that some of it could not be read, so that nothing is known: the disk or the network
// has failed and not the file.
func Check(file io.ReaderAt, size int64) (damage, err error) {
	r := &reader{file: file}
	damage = walk(r, size)
	if r.failed != nil {
		return nil, r.failed
	}
	return damage, nil
}

func walk(file io.ReaderAt, size int64) error {
	m, err := readMeta(file, size)
	if err != nil {
		return err
	}
	// bbolt makes the file longer before it says so in the meta page. In one that is shorter,
	// free pages would be missing, and be missed when they are used.
	if pages := uint64(size) / m.pageSize; m.pages > pages {
		return fmt.Errorf("truncated: %d pages of %d bytes are there, and %d should be", pages, m.pageSize, m.pages)
	}
	c := &check{file: file, meta: m, taken: make([]uint64, m.pages/64+1)}
	if _, err := c.tree(m.root, bounds{}, true); err != nil {
		return err
	}
	if m.freelist == noFreelist {
		return nil
	}
	return c.freelist(m.freelist)
}

// take notes that something refers to a page. In a whole file, one thing does.
func (c *check) take(id uint64) error {
	if id < metaPages || id >= c.meta.pages {
		return fmt.Errorf("page %d: is referred to, and the pages are %d to %d", id, metaPages, c.meta.pages-1)
	}
	word, bit := &c.taken[id/64], uint64(1)<<(id%64)
	if *word&bit != 0 {
		return fmt.Errorf("page %d: is referred to twice", id)
	}
	*word |= bit
	return nil
}
