// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWrittenBy(t *testing.T) {
	before, err := writtenBy(os.Getpid())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(t.TempDir(), "file"), make([]byte, 1<<20), 0o600))
	after, err := writtenBy(os.Getpid())
	require.NoError(t, err)
	require.GreaterOrEqual(t, after, before)
	_, err = writtenBy(-1)
	require.ErrorIs(t, err, os.ErrNotExist)
}
