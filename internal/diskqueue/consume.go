// SPDX-License-Identifier: Apache-2.0

package diskqueue

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/otelcol-tc/otelcol-tc/internal/disk"
)

// readAttempts is how often a peek returns a read error before it leaves out what cannot be read. What is
// behind it must be readable: if the disk is away, nothing is left out.
const readAttempts = 5

// peeked is a record that Peek returned.
type peeked struct {
	end   position
	items int
}

// Peek returns records from the head without removing them: one if there is any, and further ones while
// their payloads together have at most maxBytes. It leaves out damaged records. The caller owns the
// payloads.
func (q *Queue) Peek(maxBytes int) ([]Record, error) {
	q.consumer.Lock()
	defer q.consumer.Unlock()
	q.peeked = q.peeked[:0]
	place, err := q.start()
	if err != nil {
		return nil, err
	}
	records, err := q.read(place, maxBytes, q.skip)
	for _, r := range records {
		q.peeked = append(q.peeked, peeked{end: position(r.Next), items: r.Items})
	}
	return records, err
}

// PeekBehind is Peek for what is behind a record, which is at that record's Next. It looks behind what is damaged or
// cannot be read, too, and leaves it in the queue. What Remove refers to stays as it was.
func (q *Queue) PeekBehind(next Place, maxBytes int) ([]Record, error) {
	q.consumer.Lock()
	defer q.consumer.Unlock()
	if _, err := q.start(); err != nil {
		return nil, err
	}
	return q.read(position(next), maxBytes, q.behind)
}

// read returns records from a position on. If the first one cannot be read, leaveOut returns where to go on.
func (q *Queue) read(place position, maxBytes int, leaveOut func(*reader, position, error) (position, error)) ([]Record, error) {
	var records []Record
	for bytes := 0; ; {
		r, from, err := q.readerAt(place)
		if err == nil && r == nil {
			return records, nil
		}
		var h header
		if err == nil {
			h, err = r.header(from.offset)
		}
		if err == nil && len(records) > 0 && bytes+int(h.length) > maxBytes {
			return records, nil
		}
		var payload []byte
		if err == nil {
			payload, err = r.payload(from.offset, h)
		}
		switch {
		case err != nil && len(records) > 0:
			return records, nil // the next call begins with it
		case err != nil:
			if place, err = leaveOut(r, from, err); err != nil {
				return nil, err
			}
			continue
		}
		place = position{from.number, from.offset + h.size()}
		bytes += len(payload)
		q.failures = 0
		records = append(records, Record{
			Payload: payload, Items: int(h.items), Time: time.Unix(0, h.time), Place: Place(from), Next: Place(place),
		})
	}
}

// RemoveWhile removes records from the head up to the first one that is not done, and returns how many: at most those
// that Peek returns.
func (q *Queue) RemoveWhile(maxBytes int, done func(Record) bool) (n int, err error) {
	records, err := q.Peek(maxBytes)
	if err != nil {
		return 0, err
	}
	for n < len(records) && done(records[n]) {
		n++
	}
	return n, q.Remove(n)
}

// Remove removes the first n records that the last Peek returned. If it returns an error, they are removed
// for this process, but the next one may get them again.
func (q *Queue) Remove(n int) error {
	q.consumer.Lock()
	defer q.consumer.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return q.closedError()
	case n < 0 || n > len(q.peeked):
		return fmt.Errorf("queue %s: the number of records to remove must be from 0 to %d, what Peek returned (got %d)",
			q.settings.Directory, len(q.peeked), n)
	case n == 0:
		return nil
	}
	q.records -= n
	for _, p := range q.peeked[:n] {
		q.items -= p.items
	}
	end := q.peeked[n-1].end
	q.peeked = slices.Delete(q.peeked, 0, n)
	err := q.move(end)
	q.updateOldest()
	return err
}

// start returns the position of the head.
func (q *Queue) start() (position, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return position{}, q.closedError()
	}
	return q.head.position, nil
}

// behind returns the end of a record that cannot be read, or the cause if it may be read yet.
func (q *Queue) behind(r *reader, place position, cause error) (position, error) {
	if r == nil {
		return place, cause
	}
	if !errors.Is(cause, errDamaged) {
		if q.failures++; q.failures < readAttempts {
			return place, cause
		}
	}
	next, _ := r.behind(place.offset)
	return position{place.number, next}, nil
}

// skip moves the head behind a record that cannot be read.
func (q *Queue) skip(r *reader, place position, cause error) (position, error) {
	next, err := q.behind(r, place, cause)
	if err != nil || !errors.Is(cause, errDamaged) && !q.readable(next) {
		return place, cause
	}
	h, err := r.header(place.offset)
	known := err == nil
	q.mu.Lock()
	defer q.mu.Unlock()
	q.damaged += next.offset - place.offset
	if known {
		q.records--
		q.items -= int(h.items)
	}
	_ = q.move(next) // the next move or attempt saves the head again
	q.updateOldest()
	return q.head.position, nil
}

// readable reports whether there is something at a position that the disk reads.
func (q *Queue) readable(place position) bool {
	r, place, err := q.readerAt(place)
	if err != nil || r == nil {
		return false
	}
	_, err = r.header(place.offset)
	return err == nil || errors.Is(err, errDamaged)
}

// updateOldest reads the time of the first record. Its caller holds both locks.
func (q *Queue) updateOldest() {
	s, place, more := q.locate(q.head.position)
	if !more {
		return
	}
	if r, err := q.readerOf(s); err == nil {
		if h, err := r.header(place.offset); err == nil {
			q.oldest = h.time
		}
	}
}

// readerAt returns a reader for a position, or nil at the end of the queue.
func (q *Queue) readerAt(place position) (*reader, position, error) {
	q.mu.Lock()
	s, place, more := q.locate(place)
	q.mu.Unlock()
	if !more {
		return nil, place, nil
	}
	r, err := q.readerOf(s)
	return r, place, err
}

func (q *Queue) readerOf(s segment) (*reader, error) {
	if q.reader == nil || q.reader.number != s.number {
		_ = q.closeReader() // it has written nothing
		f, err := q.files.Open(q.path(s.number), os.O_RDONLY)
		if errors.Is(err, os.ErrNotExist) {
			f, err = missing{}, nil
		}
		if err != nil {
			return nil, err
		}
		q.reader = newReader(f, s.number, s.end)
	}
	q.reader.end = s.end
	return q.reader, nil
}

func (q *Queue) closeReader() error {
	if q.reader == nil {
		return nil
	}
	err := q.reader.file.Close()
	q.reader = nil
	return err
}

// missing stands for a segment that somebody deleted. It has no bytes.
type missing struct{ disk.File }

func (missing) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }

func (missing) Close() error { return nil }

// Begin notes on disk that an attempt at the head begins. It returns how often the process died between
// Begin and End with this head. After an error a death in this attempt may not be counted.
func (q *Queue) Begin() (deaths int, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return 0, q.closedError()
	}
	if len(q.segments) == 0 {
		return 0, nil
	}
	if !q.attempt || q.unsaved {
		if err := q.saveDeaths(q.head.deaths + 1); err != nil {
			return int(q.head.deaths), err
		}
		q.attempt = true
	}
	return int(q.head.deaths), nil
}

// End notes on disk that the attempt has ended. Remove and Close end it too.
func (q *Queue) End() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return q.closedError()
	}
	return q.end()
}

func (q *Queue) end() error {
	if !q.attempt && !q.unsaved {
		return nil
	}
	err := q.saveDeaths(q.head.deaths)
	q.attempt = q.attempt && err != nil
	return err
}

func (q *Queue) saveDeaths(deaths uint32) error {
	if err := q.save(deaths); err != nil {
		return fmt.Errorf("note an attempt in queue %s: %w", q.settings.Directory, err)
	}
	return nil
}
