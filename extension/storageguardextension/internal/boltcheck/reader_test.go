package boltcheck

import (
	"bytes"
	"io"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// badDisk is a file of which some reads fail.
type badDisk struct {
	file  io.ReaderAt
	reads int
	fails func(read int) bool
}

func (b *badDisk) ReadAt(p []byte, at int64) (int, error) {
	b.reads++
	if b.fails(b.reads) {
		return 0, syscall.EIO
	}
	return b.file.ReadAt(p, at)
}

// What cannot be read says nothing of the file, wherever that begins.
func TestErrorsOfReadingAreNoDamage(t *testing.T) {
	data := small(t)
	check := func(data []byte, fails func(read int) bool) (reads int, damage, err error) {
		disk := &badDisk{file: bytes.NewReader(data), fails: fails}
		damage, err = Check(disk, int64(len(data)))
		return disk.reads, damage, err
	}
	reads, damage, err := check(data, func(int) bool { return false })
	require.NoError(t, err)
	require.NoError(t, damage)
	require.Greater(t, reads, 5)
	for failing := range reads {
		failing++
		_, damage, err = check(data, func(read int) bool { return read == failing })
		require.NoError(t, err, "read %d of %d fails once", failing, reads)
		require.NoError(t, damage, "read %d of %d fails once", failing, reads)

		_, damage, err = check(data, func(read int) bool { return read >= failing })
		require.ErrorIs(t, err, syscall.EIO, "from read %d of %d on", failing, reads)
		require.NoError(t, damage, "from read %d of %d on", failing, reads)
	}

	// The other meta page is whole, and bbolt would still look at this one.
	_, damage, err = check(data, func(read int) bool { return read <= 2 })
	assert.ErrorIs(t, err, syscall.EIO)
	assert.NoError(t, damage)

	_, damage, err = check(data[:1], func(int) bool { return false })
	assert.NoError(t, err)
	assert.ErrorContains(t, damage, "no meta page is whole: EOF")
}
