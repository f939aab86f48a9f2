// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"encoding/binary"
	"os"
	"strings"

	"github.com/zeebo/xxh3"
)

// The file consists of a header, the slots of requests in flight, and the suspects. All records
// have the same size, and numbers are little-endian.
const (
	magic       = "tcjrnl01"
	headerSize  = 64
	recordSize  = 32
	slots       = 1024
	maxSuspects = 1024
	fileSize    = headerSize + (slots+maxSuspects)*recordSize
)

// Fingerprint identifies a request by its bytes.
type Fingerprint [16]byte

// record is a request in flight, or a suspect.
type record struct {
	fingerprint Fingerprint
	strikes     uint32 // 0 for a request in flight
	seconds     int64  // the time of the last strike, in seconds since 1970
}

// header identifies the process that wrote the file.
type header struct {
	seed    uint64      // of all hashes; random, so that clients cannot cause collisions
	boot    Fingerprint // of the machine, or zero if unknown
	version Fingerprint // of the collector
}

// content is the content of a file.
type content struct {
	header
	inFlight []Fingerprint
	suspects []record
}

// parse returns the content of a file, and whether the file is a journal. It ignores invalid
// records.
func parse(file []byte) (c content, ok bool) {
	if len(file) != fileSize || string(file[:len(magic)]) != magic {
		return c, false
	}
	c.seed = binary.LittleEndian.Uint64(file[8:])
	if binary.LittleEndian.Uint64(file[48:]) != xxh3.HashSeed(file[:48], c.seed) {
		return content{}, false
	}
	copy(c.boot[:], file[16:])
	copy(c.version[:], file[32:])
	for i := range slots + maxSuspects {
		r, ok := parseRecord(file[offset(i):][:recordSize], c.seed)
		switch {
		case !ok:
		case i < slots:
			c.inFlight = append(c.inFlight, r.fingerprint)
		case r.strikes > 0:
			c.suspects = append(c.suspects, r)
		}
	}
	return c, true
}

func (h *header) append(b []byte) []byte {
	begin := len(b)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint64(b, h.seed)
	b = append(b, h.boot[:]...)
	b = append(b, h.version[:]...)
	b = binary.LittleEndian.AppendUint64(b, xxh3.HashSeed(b[begin:], h.seed))
	return append(b, make([]byte, headerSize-len(b)+begin)...)
}

func parseRecord(b []byte, seed uint64) (r record, ok bool) {
	if binary.LittleEndian.Uint32(b[28:]) != uint32(xxh3.HashSeed(b[:28], seed)) {
		return r, false
	}
	copy(r.fingerprint[:], b)
	r.seconds = int64(binary.LittleEndian.Uint64(b[16:]))
	r.strikes = binary.LittleEndian.Uint32(b[24:])
	return r, true
}

func (r record) append(b []byte, seed uint64) []byte {
	begin := len(b)
	b = append(b, r.fingerprint[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(r.seconds))
	b = binary.LittleEndian.AppendUint32(b, r.strikes)
	return binary.LittleEndian.AppendUint32(b, uint32(xxh3.HashSeed(b[begin:], seed)))
}

// offset returns the position of a record: first the slots, then the suspects.
func offset(i int) int { return headerSize + i*recordSize }

// bootID returns a fingerprint of the machine's current boot on Linux, else zero.
func bootID() (f Fingerprint) {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return f
	}
	return hashOf(strings.TrimSpace(string(id)))
}

func hashOf(s string) Fingerprint { return xxh3.HashString128(s).Bytes() }
