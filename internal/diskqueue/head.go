// SPDX-License-Identifier: Apache-2.0

package diskqueue

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/otelcol-tc/otelcol-tc/internal/disk"
)

const (
	// slotBytes is the size of a slot: sequence, segment number, offset, deaths, checksum.
	slotBytes = 8 + 8 + 8 + 4 + 4
	// slotDistance puts the two slots into different blocks of the disk, so that a torn write damages one.
	slotDistance = 4096
)

// head is the position of the first record, and how often the process died with it.
type head struct {
	position
	deaths uint32 // if the process dies now
}

// headFile keeps the head in two slots of a file, and writes them in turn. It never makes the file longer
// once it exists, so that a full disk does not matter. It is guarded by the queue's mu.
type headFile struct {
	files    disk.FileSystem
	path     string
	sync     bool
	file     disk.File // nil until it holds a valid slot
	sequence uint64    // of the newest slot
	slot     int64     // the one to write next
}

// load returns the newest valid slot. If lost is true there is a file without one.
func (f *headFile) load() (h head, lost bool, err error) {
	opened, err := f.files.Open(f.path, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return head{}, false, nil
	}
	if err != nil {
		return head{}, false, err
	}
	for slot := range int64(2) {
		var b [slotBytes]byte
		// What cannot be read is no slot. The other one leads to the same records or to more.
		if _, err := opened.ReadAt(b[:], slot*slotDistance); err != nil && !errors.Is(err, io.EOF) {
			continue
		}
		if sequence, found, valid := decodeSlot(b[:]); valid && sequence > f.sequence {
			h, f.sequence, f.slot, f.file = found, sequence, 1-slot, opened
		}
	}
	if f.file == nil {
		return head{}, true, opened.Close()
	}
	return h, false, nil
}

// save writes the head. After an error the newest slot on disk is the last one that was written, or this
// one.
func (f *headFile) save(h head) error {
	if f.file == nil {
		return f.create(h)
	}
	b := encodeSlot(f.sequence+1, h)
	if _, err := f.file.WriteAt(b, f.slot*slotDistance); err != nil {
		return err // the next call writes the same slot: the other one is valid
	}
	if f.sync {
		if err := f.file.Sync(); err != nil {
			return err
		}
	}
	f.sequence++
	f.slot = 1 - f.slot
	return nil
}

// create writes a file with room for both slots. Slot 0 comes last: once it is valid, slot 1 needs no space.
func (f *headFile) create(h head) error {
	created, err := f.files.Open(f.path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	_, err = created.WriteAt(make([]byte, slotBytes), slotDistance)
	if err == nil {
		_, err = created.WriteAt(encodeSlot(1, h), 0)
	}
	if err == nil && f.sync {
		err = errors.Join(created.Sync(), f.files.SyncDirectory(filepath.Dir(f.path)))
	}
	if err != nil {
		return errors.Join(err, created.Close())
	}
	f.file, f.sequence, f.slot = created, 1, 1
	return nil
}

func (f *headFile) close() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}

func encodeSlot(sequence uint64, h head) []byte {
	b := make([]byte, slotBytes)
	binary.LittleEndian.PutUint64(b, sequence)
	binary.LittleEndian.PutUint64(b[8:], h.number)
	binary.LittleEndian.PutUint64(b[16:], uint64(h.offset))
	binary.LittleEndian.PutUint32(b[24:], h.deaths)
	binary.LittleEndian.PutUint32(b[28:], crc32.Checksum(b[:28], castagnoli))
	return b
}

func decodeSlot(b []byte) (sequence uint64, h head, valid bool) {
	sequence = binary.LittleEndian.Uint64(b)
	h.number = binary.LittleEndian.Uint64(b[8:])
	h.offset = int64(binary.LittleEndian.Uint64(b[16:]))
	h.deaths = binary.LittleEndian.Uint32(b[24:])
	valid = binary.LittleEndian.Uint32(b[28:]) == crc32.Checksum(b[:28], castagnoli) &&
		sequence <= maxNumber && h.number <= maxNumber && h.offset >= 0
	return sequence, h, valid
}
