// SPDX-License-Identifier: Apache-2.0

package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/otelcol-tc/otelcol-tc/extension/correlationindexextension/internal/memoryindex"
)

// A part is stored as
//
//	0 version     9 seed                             25 ticks, at the same time
//	1 checksum   17 time, nanoseconds since 1970     29 the records, as the ring has them
const (
	sumEnd  = 9
	partEnd = 29

	// partVersion changes whenever older parts cannot be read.
	partVersion = 1
)

// Encode returns a part as it is stored.
func Encode(p *memoryindex.Part) []byte {
	b := make([]byte, sumEnd, partEnd+len(p.Records))
	b = binary.LittleEndian.AppendUint64(b, p.Seed)
	b = binary.LittleEndian.AppendUint64(b, uint64(p.Time.UnixNano()))
	b = binary.LittleEndian.AppendUint32(b, p.Ticks)
	b = append(b, p.Records...)
	b[0] = partVersion
	binary.LittleEndian.PutUint64(b[1:], xxh3.Hash(b[sumEnd:]))
	return b
}

// Decode returns a stored part.
func Decode(b []byte) (*memoryindex.Part, error) {
	if len(b) == 0 || b[0] != partVersion {
		return nil, fmt.Errorf("it is not of version %d", partVersion)
	}
	if len(b) < partEnd {
		return nil, errors.New("it is cut off")
	}
	if xxh3.Hash(b[sumEnd:]) != binary.LittleEndian.Uint64(b[1:]) {
		return nil, errors.New("its checksum is wrong")
	}
	p := &memoryindex.Part{
		Seed:    binary.LittleEndian.Uint64(b[sumEnd:]),
		Time:    time.Unix(0, int64(binary.LittleEndian.Uint64(b[17:]))),
		Ticks:   binary.LittleEndian.Uint32(b[25:]),
		Records: b[partEnd:],
	}
	return p, p.Check()
}
