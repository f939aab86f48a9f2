// SPDX-License-Identifier: Apache-2.0

package diskqueue

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBadSectors reads a disk with errors. A record that cannot be read is left out once the ones behind
// it can be.
func TestBadSectors(t *testing.T) {
	f := func(name string, bad func(at int64) bool, want ...string) {
		t.Helper()
		disk := stored(t, "rec 1", "rec 2", "rec 3")
		disk.File(firstSegment).Bad = func(at int64) error {
			if bad(at) {
				return syscall.EIO
			}
			return nil
		}
		q, _, err := open(Settings{Directory: "queue", MaxBytes: mebibyte}, disk)
		require.NoError(t, err)
		for range readAttempts - 1 {
			_, err := q.Peek(100)
			assert.ErrorIs(t, err, syscall.EIO, name)
		}
		assert.Equal(t, want, drained(t, q), name)
		assert.Empty(t, disk.segments(), name)
	}
	f("payload", func(at int64) bool { return at == headerBytes }, "rec 2", "rec 3")
	f("header", func(at int64) bool { return at < 10 }, "rec 3") // a block is left out
	f("segment", func(int64) bool { return true }, "rec 3")

	// What is behind the block in the same segment comes. The second long record begins in the block.
	disk := newMemory()
	settings := Settings{Directory: "queue", MaxBytes: mebibyte}
	q, _, err := open(settings, disk)
	require.NoError(t, err)
	long := strings.Repeat("x", blockBytes)
	add(t, q, long, "rec 2", long, "rec 4")
	require.NoError(t, q.Close())
	disk.File(firstSegment).Bad = func(at int64) error {
		if at >= headerBytes+blockBytes && at < headerBytes+blockBytes+10 {
			return syscall.EIO
		}
		return nil
	}
	q, recovery, err := open(settings, disk)
	require.NoError(t, err)
	assert.Equal(t, 2, recovery.Records)
	assert.ErrorIs(t, recovery.ReadError, syscall.EIO)
	assert.Len(t, texts(t, q, 100), 1)
	require.NoError(t, q.Remove(1))
	for range readAttempts - 1 {
		_, err := q.Peek(100)
		assert.ErrorIs(t, err, syscall.EIO)
	}
	assert.Equal(t, []string{"rec 4"}, drained(t, q))
}

// TestDiskAway fails every read. Nothing is left out, and all records come when the disk is back.
func TestDiskAway(t *testing.T) {
	disk := stored(t, "rec 1", "rec 2", "rec 3")
	away := true
	for _, path := range disk.segments() {
		disk.File(path).Bad = func(int64) error {
			if away {
				return syscall.EIO
			}
			return nil
		}
	}
	q, recovery, err := open(Settings{Directory: "queue", MaxBytes: mebibyte}, disk)
	require.NoError(t, err)
	assert.ErrorIs(t, recovery.ReadError, syscall.EIO)
	assert.False(t, q.Empty())
	for range 3 * readAttempts {
		_, err := q.Peek(100)
		assert.ErrorIs(t, err, syscall.EIO)
	}
	add(t, q, "rec 4")
	away = false
	assert.Equal(t, []string{"rec 1", "rec 2", "rec 3", "rec 4"}, drained(t, q))
}

func TestNoSpace(t *testing.T) {
	assert.ErrorIs(t, noSpace(syscall.EDQUOT), ErrNoSpace)
	assert.NotErrorIs(t, noSpace(errors.ErrUnsupported), ErrNoSpace)
}
