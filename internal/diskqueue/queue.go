// SPDX-License-Identifier: Apache-2.0

package diskqueue

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/disk"
)

// Queue is a first-in, first-out queue of records on disk. It is safe for concurrent use by any number of
// goroutines that append and one that consumes: calls of Peek, Remove, Begin and End do not disturb each
// other, but they refer to one head.
type Queue struct {
	settings Settings
	files    disk.FileSystem
	unlock   io.Closer

	// consumer guards what follows, up to mu, and which segments are removed. A method that needs both
	// locks takes consumer first. Peek reads without mu, so that it does not delay Append.
	consumer sync.Mutex
	peeked   []peeked // what the last Peek returned and is not removed
	reader   *reader  // of the segment that was read last
	failures int      // read errors at the head in a row

	// mu guards what follows.
	mu       sync.Mutex
	closed   bool
	segments []segment // in order; none if the queue is empty
	next     uint64    // number of the next segment
	tail     disk.File // the last segment, or nil if it is not open for appending
	stale    []uint64  // segments that could not be deleted
	head     head      // deaths are those before the current attempt
	attempt  bool      // an attempt has begun
	unsaved  bool      // the last save of the head failed
	headFile headFile
	records  int
	items    int
	oldest   int64 // time of the record at the head
	damaged  int64
}

// segment is a file of records. What is behind its end does not count.
type segment struct {
	number uint64
	end    int64
	rest   int64 // bytes behind the end that stay there: what a failed write left, at most
	sealed bool  // nothing is appended any more
}

// Stats describe a queue.
type Stats struct {
	Records int // 0 exactly if the queue is empty; otherwise damage that is not yet found may make it less
	Items   int
	Bytes   int64     // from the first record to the end
	OnDisk  int64     // of all segments: this is what MaxBytes limits
	Oldest  time.Time // when the first record was appended; zero if the queue is empty
	Damaged int64     // bytes left out because they hold no valid record, since Open
}

// Stats returns the current numbers. It reads no file.
func (q *Queue) Stats() Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.segments) == 0 {
		return Stats{Damaged: q.damaged}
	}
	bytes := -q.head.offset
	for _, s := range q.segments {
		bytes += s.end
	}
	return Stats{
		Records: max(q.records, 1),
		Items:   max(q.items, 0),
		Bytes:   bytes,
		OnDisk:  q.onDisk(),
		Oldest:  time.Unix(0, q.oldest),
		Damaged: q.damaged,
	}
}

// Close ends an attempt, so that it is not counted as a death, and releases the directory. Further calls
// of other methods return an error that wraps os.ErrClosed.
func (q *Queue) Close() error {
	q.consumer.Lock()
	defer q.consumer.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil
	}
	err := q.end()
	q.closed = true
	return errors.Join(err, q.closeReader(), q.closeTail(), q.headFile.close(), q.unlock.Close())
}

func (q *Queue) closedError() error {
	return fmt.Errorf("queue %s: %w", q.settings.Directory, os.ErrClosed)
}

func (q *Queue) onDisk() (bytes int64) {
	for _, s := range q.segments {
		bytes += s.end + s.rest
	}
	return bytes
}

func (q *Queue) path(number uint64) string {
	return filepath.Join(q.settings.Directory, fmt.Sprintf("%020d"+extension, number))
}

// locate returns the segment of a position. The end of a segment is the begin of the next one. The result
// is false at the end of the queue.
func (q *Queue) locate(place position) (segment, position, bool) {
	for _, s := range q.segments {
		switch {
		case s.number == place.number && place.offset < s.end:
			return s, place, true
		case s.number > place.number:
			return s, position{number: s.number}, true
		}
	}
	return segment{}, place, false
}

// move moves the head, deletes the segments before it, and ends the attempt. Its caller holds both locks.
// The head is saved before a segment is deleted. If that fails, segments are deleted all the same: an old
// head then leads to the first segment that exists.
func (q *Queue) move(to position) error {
	_, to, more := q.locate(to)
	before := len(q.segments)
	if more {
		before = slices.IndexFunc(q.segments, func(s segment) bool { return s.number == to.number })
	}
	q.head, q.attempt, q.failures = head{position: to}, false, 0
	err := q.save(0)
	if q.reader != nil && (!more || q.reader.number < to.number) {
		err = errors.Join(err, q.closeReader())
	}
	if !more {
		q.records, q.items = 0, 0
		err = errors.Join(err, q.closeTail())
	}
	for _, s := range q.segments[:before] {
		q.stale = append(q.stale, s.number)
	}
	q.segments = slices.Delete(q.segments, 0, before)
	if err := errors.Join(err, q.deleteStale()); err != nil {
		return fmt.Errorf("move the head of queue %s: %w", q.settings.Directory, err)
	}
	return nil
}

// save writes the head with a number of deaths.
func (q *Queue) save(deaths uint32) error {
	err := q.headFile.save(head{position: q.head.position, deaths: deaths})
	q.unsaved = err != nil
	return err
}

// deleteStale deletes segments that are no part of the queue any more. The next call tries again what fails.
func (q *Queue) deleteStale() error {
	var errs error
	q.stale = slices.DeleteFunc(q.stale, func(number uint64) bool {
		err := q.files.Remove(q.path(number))
		if err == nil || errors.Is(err, os.ErrNotExist) {
			return true
		}
		errs = errors.Join(errs, err)
		return false
	})
	return errs
}

func (q *Queue) closeTail() error {
	if q.tail == nil {
		return nil
	}
	err := q.tail.Close()
	q.tail = nil
	return err
}

// Empty reports whether the queue has no records.
func (q *Queue) Empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.segments) == 0
}

// Room returns the error that Append would return at this moment for want of room, for payloads of some
// bytes together: ErrFull, ErrNoSpace, or nil.
func (q *Queue) Room(payloads, bytes int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.admit(headerBytes*int64(payloads) + int64(bytes))
}
