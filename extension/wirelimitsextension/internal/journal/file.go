package journal

import (
	"encoding/binary"
	"os"
	"strings"

	"github.com/zeebo/xxh3"
)

// The file is a header, the slots of requests in flight, and the suspects. All records have
// the same size, and numbers are little-endian.
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
	seconds     int64  // of the last strike, since 1970
}

// header identifies the process that wrote the file.
type header struct {
	seed    uint64      // of all hashes, random, so that nobody can make requests that collide
	boot    Fingerprint // of the machine; zero where it is not known
	version Fingerprint // of the collector
}

// content is what a file says.
type content struct {
	header
	inFlight []Fingerprint
	suspects []record
}

// parse returns what a file says, and whether it is a journal. It ignores records that are
// not valid.
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

// offset returns where a record lies: first the slots, then the suspects.
func offset(i int) int { return headerSize + i*recordSize }

// bootID returns a fingerprint that changes when the machine starts, on Linux.
func bootID() (f Fingerprint) {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return f
	}
	return hashOf(strings.TrimSpace(string(id)))
}

func hashOf(s string) Fingerprint { return xxh3.HashString128(s).Bytes() }
