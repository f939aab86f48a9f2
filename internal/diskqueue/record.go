// SPDX-License-Identifier: Apache-2.0

package diskqueue

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"time"
)

// Record is one entry of the queue.
type Record struct {
	Payload []byte
	Items   int
	Time    time.Time // when it was appended
	Place   Place
	Next    Place // of what is behind it
}

// Place is where a record is. No other record of the queue ever has the same.
type Place position

// magic begins each record. Its first byte occurs in no UTF-8 text.
const magic = "\xffTCq"

// headerBytes is the size of a header: magic, length, items, payload checksum, time, header checksum.
const headerBytes = 4 + 4 + 4 + 4 + 8 + 4

// maxNumber limits the numbers that are read from disk, so that the next ones do not overflow.
const maxNumber = math.MaxInt64

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// position is a place in the queue: an offset in the segment of a number.
type position struct {
	number uint64
	offset int64
}

// header precedes the payload of a record.
type header struct {
	length uint32 // of the payload
	items  uint32
	sum    uint32 // of the payload
	time   int64  // Unix time in nanoseconds
}

func (h header) size() int64 { return headerBytes + int64(h.length) }

func (h header) encode(b []byte, place position) {
	copy(b, magic)
	binary.LittleEndian.PutUint32(b[4:], h.length)
	binary.LittleEndian.PutUint32(b[8:], h.items)
	binary.LittleEndian.PutUint32(b[12:], h.sum)
	binary.LittleEndian.PutUint64(b[16:], uint64(h.time))
	binary.LittleEndian.PutUint32(b[24:], headerSum(b, place))
}

func decodeHeader(b []byte, place position) (h header, valid bool) {
	if string(b[:4]) != magic || binary.LittleEndian.Uint32(b[24:]) != headerSum(b, place) {
		return header{}, false
	}
	return header{
		length: binary.LittleEndian.Uint32(b[4:]),
		items:  binary.LittleEndian.Uint32(b[8:]),
		sum:    binary.LittleEndian.Uint32(b[12:]),
		time:   int64(binary.LittleEndian.Uint64(b[16:])),
	}, true
}

// headerSum returns the checksum of a header at its position. With the position in it, the search behind
// damage does not take a copy of a record inside a payload for a record.
func headerSum(b []byte, place position) uint32 {
	var encoded [16]byte
	binary.LittleEndian.PutUint64(encoded[:], place.number)
	binary.LittleEndian.PutUint64(encoded[8:], uint64(place.offset))
	return crc32.Update(crc32.Checksum(encoded[:], castagnoli), castagnoli, b[:headerBytes-4])
}
