// SPDX-License-Identifier: Apache-2.0

package diskqueue

import (
	"errors"
	"fmt"
	"math"
)

// Errors of Append. The first two end when records are removed or the disk has room again.
var (
	ErrFull     = errors.New("the queue is full")
	ErrNoSpace  = errors.New("no space left for the queue")
	ErrTooLarge = errors.New("the record can never fit into the queue")
)

const defaultSegmentBytes = 16 << 20

// Settings are the place and the limits of a queue.
type Settings struct {
	// Directory holds the files of the queue and nothing else. Open creates it.
	Directory string
	// MaxBytes limits all segments together. Append returns ErrFull beyond it.
	MaxBytes int64
	// MinFreeBytes stay free on the file system. Append returns ErrNoSpace before fewer would be left.
	MinFreeBytes int64
	// SegmentBytes is the size after which a new segment begins. The default is 16 MiB, or an eighth of
	// MaxBytes if that is less: removed records take up space until their whole segment is removed.
	SegmentBytes int64
	// Sync makes records survive a power failure, by an fsync after each append and each move of the head.
	Sync bool
}

func (s Settings) withDefaults() (Settings, error) {
	switch {
	case s.Directory == "":
		return s, errors.New("directory must not be empty")
	case s.MaxBytes <= 0:
		return s, fmt.Errorf("queue %s: max_bytes must be positive (got %d)", s.Directory, s.MaxBytes)
	case s.MinFreeBytes < 0:
		return s, fmt.Errorf("queue %s: min_free_bytes must not be negative (got %d)", s.Directory, s.MinFreeBytes)
	case s.SegmentBytes < 0:
		return s, fmt.Errorf("queue %s: segment_bytes must not be negative (got %d)", s.Directory, s.SegmentBytes)
	case s.SegmentBytes == 0:
		s.SegmentBytes = min(defaultSegmentBytes, max(s.MaxBytes/8, 1))
	}
	return s, nil
}

// maxRecordBytes returns the size of the largest record that an empty queue takes.
func (s Settings) maxRecordBytes() int64 { return min(s.MaxBytes, headerBytes+math.MaxUint32) }
