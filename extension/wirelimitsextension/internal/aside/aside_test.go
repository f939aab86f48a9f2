// SPDX-License-Identifier: Apache-2.0

package aside

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var begin = time.Date(2026, 11, 22, 5, 0, 0, 0, time.UTC)

func identity(i int) string { return fmt.Sprintf("%032x", i) }

func TestKeep(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "none", "yet")
	s := NewStore(directory)
	assert.False(t, s.Has(identity(1)))
	path, err := s.Keep(begin, "traces", identity(1), "json", []byte("{}"))
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(directory, "20261122T050000Z-traces-"+identity(1)+".json"), path)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "{}", string(content))
	assert.True(t, s.Has(identity(1)))
	assert.False(t, s.Has(identity(2)))
	assert.Len(t, s.names(), 1)
}

// The oldest files are deleted, and other files are left alone.
func TestBounds(t *testing.T) {
	directory := t.TempDir()
	other := filepath.Join(directory, "20000101T000000Z-notes.txt")
	require.NoError(t, os.WriteFile(other, nil, 0o600))
	s := NewStore(directory)
	for i := range maxFiles + 2 {
		_, err := s.Keep(begin.Add(time.Duration(i)*time.Second), "logs", identity(i), "binpb", []byte("x"))
		require.NoError(t, err)
	}
	assert.Len(t, s.names(), maxFiles)
	assert.False(t, s.Has(identity(1)))
	assert.True(t, s.Has(identity(2)))

	for i := range 3 {
		_, err := s.Keep(begin.Add(time.Hour), "logs", identity(100+i), "binpb", make([]byte, maxBytes/2))
		require.NoError(t, err)
	}
	assert.Len(t, s.names(), 2)
	_, err := s.Keep(begin.Add(2*time.Hour), "logs", identity(200), "binpb", make([]byte, maxBytes+1))
	require.NoError(t, err)
	assert.Len(t, s.names(), 1, "the last one is kept")
	assert.FileExists(t, other)
}

func TestCannotKeep(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	path, err := NewStore(file).Keep(begin, "logs", identity(1), "binpb", nil)
	assert.Error(t, err)
	assert.Empty(t, path)
}
