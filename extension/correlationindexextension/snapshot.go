package correlationindexextension

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// part is a snapshot of one shard. It is stored as
//
//	0 version     9 seed                             25 ticks, at the same time
//	1 checksum   17 time, nanoseconds since 1970     29 the records, as the ring has them
//
// Ages count from the part's own time, for parts are not all written at the same.
type part struct {
	seed    uint64
	time    time.Time
	ticks   uint32
	records []byte
}

// partVersion changes whenever a part of before cannot be read.
const partVersion = 1

const (
	sumEnd  = 9
	partEnd = 29
)

func (p *part) encode() []byte {
	b := make([]byte, sumEnd, partEnd+len(p.records))
	b = binary.LittleEndian.AppendUint64(b, p.seed)
	b = binary.LittleEndian.AppendUint64(b, uint64(p.time.UnixNano()))
	b = binary.LittleEndian.AppendUint32(b, p.ticks)
	b = append(b, p.records...)
	b[0] = partVersion
	binary.LittleEndian.PutUint64(b[1:], xxh3.Hash(b[sumEnd:]))
	return b
}

func decodePart(b []byte) (*part, error) {
	if len(b) == 0 || b[0] != partVersion {
		return nil, fmt.Errorf("it is not of version %d", partVersion)
	}
	if len(b) < partEnd {
		return nil, errors.New("it is cut off")
	}
	if xxh3.Hash(b[sumEnd:]) != binary.LittleEndian.Uint64(b[1:]) {
		return nil, errors.New("its checksum is wrong")
	}
	p := &part{
		seed:    binary.LittleEndian.Uint64(b[sumEnd:]),
		time:    time.Unix(0, int64(binary.LittleEndian.Uint64(b[17:]))),
		ticks:   binary.LittleEndian.Uint32(b[25:]),
		records: b[partEnd:],
	}
	for rest := p.records; len(rest) > 0; {
		_, size, err := firstRecord(rest)
		if err != nil {
			return nil, err
		}
		rest = rest[size:]
	}
	return p, nil
}

// firstRecord is what records begin with, and how many bytes the record takes.
func firstRecord(records []byte) (*slot, int, error) {
	if len(records) < slotSize {
		return nil, 0, errors.New("a record is cut off")
	}
	record := (*slot)(records)
	size := int(record.size()) * slotSize
	if record.stateLen() > correlation.MaxTraceState || size > len(records) {
		return nil, 0, errors.New("a trace state is cut off")
	}
	return record, size, nil
}

// copyRecords appends all records, the oldest first.
func (r *ring) copyRecords(to []byte) []byte {
	for i, left := r.tail, r.used; left > 0; left-- {
		to = append(to, r.slots[i][:]...)
		i = r.wrap(i + 1)
	}
	return to
}

// living appends the records that are not expired nor forgotten.
func living(to, records []byte, now, window uint32) []byte {
	for len(records) > 0 {
		record := (*slot)(records)
		size := int(record.size()) * slotSize
		if now-record.arrival() <= window && record.packed().meta()&metaForgotten == 0 {
			to = append(to, records[:size]...)
		}
		records = records[size:]
	}
	return to
}
