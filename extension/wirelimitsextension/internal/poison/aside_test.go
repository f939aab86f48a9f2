// SPDX-License-Identifier: Apache-2.0

package poison

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

// keep sets a request aside as if it were poison.
func keep(l *life, now time.Time, number byte) (path string, err error) {
	f := Fingerprint{number}
	l.wanted[f.String()] = true
	return l.SetAside(now, f, "traces", "json", func() []byte { return []byte("{}") })
}

func TestSetAside(t *testing.T) {
	l := newLife(t)
	for range MaxStrikes {
		l.begin("poison")
		l.die()
	}
	set := func() (path string) {
		path, err := l.SetAside(begin, l.of("poison"), "traces", "json", func() []byte { return []byte("{}") })
		require.NoError(t, err)
		return path
	}
	path := set()
	assert.Equal(t, filepath.Join(l.directory, "set-aside", fmt.Sprintf("20261122T050000Z-traces-%s.json", l.of("poison"))), path)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "{}", string(content))
	assert.Empty(t, set(), "once")
	l.die()
	assert.False(t, l.Wants())
	assert.Empty(t, set(), "once, also for the next process")
}

// The oldest files are deleted, and other files are left alone.
func TestBoundOfFiles(t *testing.T) {
	l := newLife(t)
	directory := filepath.Join(l.directory, "set-aside")
	require.NoError(t, os.Mkdir(directory, 0o700))
	other := filepath.Join(directory, "20000101T000000Z-notes.txt")
	require.NoError(t, os.WriteFile(other, nil, 0o600))
	for i := range byte(maxFiles + 2) {
		_, err := keep(l, begin.Add(time.Duration(i)*time.Second), i+1)
		require.NoError(t, err)
	}
	assert.Len(t, setAside(l.directory), maxFiles)
	assert.False(t, isSetAside(l.directory, Fingerprint{2}.String()))
	assert.True(t, isSetAside(l.directory, Fingerprint{3}.String()))
	assert.FileExists(t, other)
}
