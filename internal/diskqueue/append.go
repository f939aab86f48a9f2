// SPDX-License-Identifier: Apache-2.0

package diskqueue

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"time"
)

// Append adds a record at the end. If it returns nil, the record survives the death of the process at any
// later time. If it returns an error, no Peek of this process returns the record.
func (q *Queue) Append(payload []byte, items int) error {
	size := headerBytes + int64(len(payload))
	if maximum := q.settings.maxRecordBytes(); size > maximum {
		return fmt.Errorf("%w: it has %d bytes, and the limit of queue %s is %d", ErrTooLarge, size, q.settings.Directory, maximum)
	}
	h := header{length: uint32(len(payload)), items: uint32(items), sum: crc32.Checksum(payload, castagnoli)}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return q.closedError()
	}
	if err := q.admit(size); err != nil {
		return err
	}
	empty := len(q.segments) == 0
	if err := q.openTail(); err != nil {
		return noSpace(fmt.Errorf("append to queue %s: %w", q.settings.Directory, err))
	}
	last := &q.segments[len(q.segments)-1]
	h.time = time.Now().UnixNano()
	if err := q.write(position{last.number, last.end}, h, payload); err != nil {
		return noSpace(fmt.Errorf("append to queue %s: %w", q.settings.Directory, errors.Join(err, q.cut(size))))
	}
	last.end += size
	q.records++
	q.items += items
	if empty {
		q.oldest = h.time
	}
	return nil
}

// admit returns an error if there is no room for a record.
func (q *Queue) admit(size int64) error {
	if bytes := q.onDisk(); bytes+size > q.settings.MaxBytes {
		return fmt.Errorf("%w: %s has %d bytes, the record has %d, and max_bytes is %d",
			ErrFull, q.settings.Directory, bytes, size, q.settings.MaxBytes)
	}
	if q.settings.MinFreeBytes == 0 {
		return nil
	}
	free, err := q.files.Free(q.settings.Directory)
	if err != nil {
		return err
	}
	if free-size < q.settings.MinFreeBytes {
		return fmt.Errorf("%w: the file system of %s has %d free bytes, the record has %d, and min_free_bytes is %d",
			ErrNoSpace, q.settings.Directory, free, size, q.settings.MinFreeBytes)
	}
	return nil
}

// openTail opens the last segment for appending, or a new one.
func (q *Queue) openTail() error {
	if n := len(q.segments); n > 0 {
		last := &q.segments[n-1]
		if q.tail == nil && !last.sealed {
			tail, err := q.files.Open(q.path(last.number), os.O_RDWR)
			// If it cannot be opened any more, a new one is as good.
			q.tail, last.sealed = tail, err != nil
		}
		if !last.sealed && last.end < q.settings.segmentBytes() {
			return nil
		}
	}
	return q.createSegment()
}

func (q *Queue) createSegment() error {
	_ = q.closeTail() // its bytes are written
	first := head{position: position{number: q.next}}
	if len(q.segments) > 0 {
		first = q.head
	}
	// The head's file takes its space while there is some.
	if q.headFile.file == nil {
		if err := q.headFile.save(first); err != nil {
			return err
		}
	}
	number := q.next
	q.next++
	tail, err := q.files.Open(q.path(number), os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	q.head, q.tail = first, tail
	q.segments = append(q.segments, segment{number: number})
	if q.settings.Sync {
		if err := q.files.SyncDirectory(q.settings.Directory); err != nil {
			return errors.Join(err, q.cut(0))
		}
	}
	return nil
}

// write writes a record behind the last one.
func (q *Queue) write(place position, h header, payload []byte) error {
	record := make([]byte, headerBytes, headerBytes+len(payload))
	h.encode(record, place)
	if _, err := q.tail.WriteAt(append(record, payload...), place.offset); err != nil {
		return err
	}
	if q.settings.Sync {
		return q.tail.Sync()
	}
	return nil
}

// cut removes what a failed append of some bytes left behind the end of the last segment. If that fails too,
// nothing more is appended to the segment.
func (q *Queue) cut(size int64) error {
	last := &q.segments[len(q.segments)-1]
	if last.end > 0 {
		err := q.tail.Truncate(last.end)
		if err != nil {
			last.sealed, last.rest = true, size
			err = errors.Join(err, q.closeTail())
		}
		return err
	}
	err := q.closeTail()
	q.stale = append(q.stale, last.number)
	q.segments = q.segments[:len(q.segments)-1]
	return errors.Join(err, q.deleteStale())
}
