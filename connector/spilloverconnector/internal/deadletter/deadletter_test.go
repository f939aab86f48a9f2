// SPDX-License-Identifier: Apache-2.0

package deadletter

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/disk"
)

// A disk that fails for hours gets an attempt a second.
func TestFailedWritesLeaveNoFiles(t *testing.T) {
	directory := t.TempDir()
	failing := &failingDisk{fail: true}
	box := New(failing, directory, 1<<20, false)
	for range 3 {
		require.False(t, box.Raw([]byte("data")))
	}
	entries, err := os.ReadDir(directory)
	require.NoError(t, err)
	require.Empty(t, entries)

	failing.fail = false
	require.True(t, box.Raw([]byte("data")))
	entries, err = os.ReadDir(directory)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

// failingDisk is a disk whose files cannot be written while fail is set.
type failingDisk struct {
	disk.System
	fail bool
}

func (d *failingDisk) Open(path string, flag int) (disk.File, error) {
	file, err := d.System.Open(path, flag)
	if err != nil || !d.fail {
		return file, err
	}
	return unwritable{file}, nil
}

type unwritable struct{ disk.File }

func (unwritable) WriteAt([]byte, int64) (int, error) { return 0, errors.New("input/output error") }
