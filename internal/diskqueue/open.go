// SPDX-License-Identifier: Apache-2.0

package diskqueue

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/disk"
)

const (
	extension = ".segment"
	headName  = "head"
	lockName  = "lock"
)

// Recovery says what Open found.
type Recovery struct {
	Records int   // with a valid header
	Torn    int64 // bytes cut off at the end: records that were not completely written
	Damaged int64 // bytes that hold no valid record and are left out
	// HeadLost reports that there was a head without a valid slot: records that were removed come again.
	HeadLost bool
	// ReadError is the first error of the disk in a segment. The segment is kept as it is.
	ReadError error
}

// Open opens the queue in a directory, which it creates if necessary. It reads the headers of all records,
// and the payloads of the newest segment. It fails if another process has the queue open.
func Open(settings Settings) (*Queue, Recovery, error) {
	directory, files := settings.Directory, settings.Files
	if files == nil {
		files = disk.System{}
	}
	if err := disk.MakeDirectory(files, directory, settings.Sync); err != nil {
		return nil, Recovery{}, err
	}
	unlock, err := files.Lock(filepath.Join(directory, lockName))
	if err != nil {
		return nil, Recovery{}, err
	}
	q := &Queue{settings: settings, files: files, unlock: unlock}
	q.headFile = headFile{files: files, path: filepath.Join(directory, headName), sync: settings.Sync}
	found, err := q.recover()
	if err != nil {
		return nil, Recovery{}, fmt.Errorf("open queue %s: %w", directory, errors.Join(err, q.Close()))
	}
	return q, found, nil
}

// recover finds the head and the segments. It writes only to cut off and to delete.
func (q *Queue) recover() (Recovery, error) {
	var found Recovery
	saved, lost, err := q.headFile.load()
	if err != nil {
		return found, err
	}
	numbers, err := q.numbers()
	if err != nil {
		return found, err
	}
	q.next = saved.number + 1
	for i, number := range numbers {
		q.next = max(q.next, number+1)
		from := int64(0)
		switch {
		case number < saved.number: // its deletion did not happen
			q.stale = append(q.stale, number)
			continue
		case number == saved.number:
			from = saved.offset
		}
		if err := q.recoverSegment(number, from, i == len(numbers)-1, &found); err != nil {
			return found, err
		}
	}
	q.head = saved
	if _, place, more := q.locate(saved.position); !more || place != saved.position {
		q.head = head{position: place}
	}
	found.HeadLost = lost && len(q.segments) > 0
	// What cannot be deleted now is deleted later.
	_ = q.deleteStale()
	return found, nil
}

// recoverSegment adds what a segment holds from an offset on.
func (q *Queue) recoverSegment(number uint64, from int64, newest bool, found *Recovery) error {
	f, err := q.files.Open(q.path(number), os.O_RDWR)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	c := newReader(f, number, size).scan(from, newest)
	s := segment{number: number, end: c.end}
	rest := max(size-c.end, 0)
	found.Damaged += c.damaged
	switch {
	case c.err != nil:
		// It may hold records that were not found: Peek tries again.
		s.end, s.sealed = size, true
		if found.ReadError == nil {
			found.ReadError = c.err
		}
	case newest:
		found.Torn += rest
		// A damaged length that leads behind the end must not cover records that are appended.
		s.sealed = c.damaged > 0
		if rest > 0 && c.records > 0 && f.Truncate(c.end) != nil {
			s.sealed, s.rest = true, rest
		}
	default:
		// The newest segment may be deleted below: what is appended then must not follow damage either.
		s.sealed, s.rest = true, rest
		found.Damaged += rest
		q.damaged += rest
	}
	if c.records == 0 && c.err == nil {
		q.stale = append(q.stale, number)
		return nil
	}
	if q.records == 0 {
		q.oldest = c.first
	}
	found.Records += c.records
	q.records += c.records
	q.items += c.items
	q.segments = append(q.segments, s)
	return nil
}

// numbers returns the numbers of the segments in ascending order.
func (q *Queue) numbers() ([]uint64, error) {
	entries, err := q.files.ReadDir(q.settings.Directory)
	if err != nil {
		return nil, err
	}
	var numbers []uint64
	for _, entry := range entries {
		digits, is := strings.CutSuffix(entry.Name(), extension)
		number, err := strconv.ParseUint(digits, 10, 63)
		if is && err == nil && entry.Type().IsRegular() && filepath.Base(q.path(number)) == entry.Name() {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}
