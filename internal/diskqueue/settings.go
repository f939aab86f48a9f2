// SPDX-License-Identifier: Apache-2.0

package diskqueue

import (
	"errors"
	"fmt"
	"math"

	"github.com/otelcol-tc/otelcol-tc/internal/disk"
)

// Errors of Append. The first two end when records are removed or the disk has room again.
var (
	ErrFull     = errors.New("the queue is full")
	ErrNoSpace  = errors.New("no space left for the queue")
	ErrTooLarge = errors.New("the record can never fit into the queue")
)

const defaultSegmentBytes = 16 << 20

// Settings are the place and the limits of a queue. Its user has checked them.
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
	// Files is nil for the file system of the operating system.
	Files disk.FileSystem
}

func (s Settings) segmentBytes() int64 {
	if s.SegmentBytes > 0 {
		return s.SegmentBytes
	}
	return min(defaultSegmentBytes, s.MaxBytes/8)
}

// maxRecordBytes returns the size of the largest record that an empty queue takes.
func (s Settings) maxRecordBytes() int64 { return min(s.MaxBytes, headerBytes+math.MaxUint32) }

// noSpace makes an error wrap ErrNoSpace if it means a full disk or quota.
func noSpace(err error) error {
	if err != nil && disk.IsFull(err) {
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	}
	return err
}
