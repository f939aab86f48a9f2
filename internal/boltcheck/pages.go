// SPDX-License-Identifier: Apache-2.0

package boltcheck

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"go.etcd.io/bbolt"
)

// pages are those of a file. bbolt relies on some things that it does not check, and fails on
// them when it writes. Whatever leads out of a page is a panic.
type pages struct {
	data []byte // as bbolt has mapped it
	size uint64 // of a page
}

const (
	headerSize  = 16 // of pages, of elements, and of buckets
	freelistAt  = 48 // in a meta page
	branchFlag  = 1
	leafFlag    = 2
	metaFlag    = 4
	bucketEntry = 1
)

func mapped(db *bbolt.DB, size int64) pages {
	info := db.Info()
	// It is no memory of Go's.
	return pages{unsafe.Slice(*(**byte)(unsafe.Pointer(&info.Data)), size), uint64(info.PageSize)}
}

func (p pages) at(id uint64) []byte {
	// Capacities end with pages, so that nothing is sliced beyond them.
	begin := id * p.size
	overflow := uint64(binary.NativeEndian.Uint32(p.data[begin+12:]))
	end := begin + (1+overflow)*p.size
	return p.data[begin:end:end]
}

func (p pages) isMeta(id uint64) bool {
	page := p.data[id*p.size:]
	return binary.NativeEndian.Uint64(page) == id && binary.NativeEndian.Uint16(page[8:]) == metaFlag
}

// listsFree reports whether a meta page has a list of free pages. Files of file_storage have none
// after their first items.
func (p pages) listsFree(id uint64) bool {
	return binary.NativeEndian.Uint64(p.data[id*p.size+freelistAt:]) != math.MaxUint64
}

// tree checks a page and those below it, and panics if one is damaged. own is what the page says
// that it is. The branch above names the page by its first key. The root has only buckets.
func (p pages) tree(own uint64, page, first []byte, root bool) {
	id, kind := binary.NativeEndian.Uint64(page), binary.NativeEndian.Uint16(page[8:])
	count := int(binary.NativeEndian.Uint16(page[10:]))
	damagedIf(id != own || kind != branchFlag && kind != leafFlag, "page %d: says that it is page %d of kind %#x", own, id, kind)
	damagedIf(count == 0 && (kind == branchFlag || first != nil), "page %d: is empty, and is a branch or below one", id)
	for i := range count {
		element := page[headerSize+i*headerSize:]
		numbers := element[4:]
		if kind == branchFlag {
			numbers = element
		}
		at, size := binary.NativeEndian.Uint32(numbers), binary.NativeEndian.Uint32(numbers[4:])
		damagedIf(size == 0 || size > bbolt.MaxKeySize, "page %d: element %d has a key of %d bytes", id, i, size)
		key := element[at:][:size]
		damagedIf(i == 0 && first != nil && !bytes.Equal(key, first), "page %d: key %q is first, and should be %q", id, key, first)
		if kind == branchFlag {
			child := binary.NativeEndian.Uint64(element[8:])
			p.tree(child, p.at(child), key, root)
			continue
		}
		length, flags := binary.NativeEndian.Uint32(element[12:]), binary.NativeEndian.Uint32(element)
		value := element[at+size:][:length:length]
		damagedIf(flags != bucketEntry && (root || flags != 0), "page %d: element %d has the flags %#x", id, i, flags)
		if flags != bucketEntry {
			continue
		}
		// A bucket names its page, or is followed by it. bbolt would free an inline page by the
		// number that it says.
		if page := binary.NativeEndian.Uint64(value); page != 0 {
			p.tree(page, p.at(page), nil, false)
		} else {
			p.tree(0, value[headerSize:], nil, false)
		}
	}
}

func damagedIf(damaged bool, format string, values ...any) {
	if damaged {
		panic(fmt.Sprintf(format, values...))
	}
}
