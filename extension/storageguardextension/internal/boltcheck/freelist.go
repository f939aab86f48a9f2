package boltcheck

import (
	"encoding/binary"
	"fmt"
)

// counted is the count of a list that is too long for its count, and begins with it.
const counted = 0xFFFF

// freelist checks the list of the free pages, in files that have one: file_storage keeps none,
// but a file is made with one. It comes after the trees, in which no free page may be.
func (c *check) freelist(id uint64) error {
	p, err := c.readPage(id)
	if err != nil {
		return err
	}
	if p.kind != freelistPage {
		return fmt.Errorf("%s: is of kind %#x, and should be the list of free pages", p.name, p.kind)
	}
	at, count := uint64(pageHeaderSize), uint64(p.count)
	if count == counted {
		first, err := p.bytes(at, 8)
		if err != nil {
			return err
		}
		at, count = at+8, binary.NativeEndian.Uint64(first)
	}
	if count > c.meta.pages {
		return fmt.Errorf("%s: lists %d free pages of %d", p.name, count, c.meta.pages)
	}
	list, err := p.bytes(at, count*8)
	if err != nil {
		return err
	}
	for ; len(list) > 0; list = list[8:] {
		if err := c.take(binary.NativeEndian.Uint64(list)); err != nil {
			return fmt.Errorf("%s, free pages: %w", p.name, err)
		}
	}
	return nil
}
