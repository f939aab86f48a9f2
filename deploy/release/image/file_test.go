// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a layer holds is what was asked for, whatever the file on this machine is like.
func TestLayer(t *testing.T) {
	source := filepath.Join(t.TempDir(), "source")
	require.NoError(t, os.WriteFile(source, []byte("content"), 0o600))
	built := time.Unix(1_700_000_000, 0).UTC()

	l, err := layer([]file{
		{path: "/a/b/c", mode: 0o644, source: source},
		{path: "/a/d", mode: 0o750, owner: 7},
		{path: "/a/d/e", mode: 0o755, source: source},
	}, built)
	require.NoError(t, err)
	unpacked, err := l.Uncompressed()
	require.NoError(t, err)
	defer unpacked.Close()
	var got []string
	for r := tar.NewReader(unpacked); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		assert.True(t, built.Equal(header.ModTime), header.Name)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		got = append(got, fmt.Sprintf("%s %04o %d:%d %s", header.Name, header.Mode, header.Uid, header.Gid, content))
	}
	assert.Equal(t, []string{
		"a/ 0755 0:0 ",
		"a/b/ 0755 0:0 ",
		"a/b/c 0644 0:0 content",
		"a/d/ 0750 7:7 ",
		"a/d/e 0755 0:0 content",
	}, got)

	_, err = layer([]file{{path: "/f", source: filepath.Join(t.TempDir(), "missing")}}, built)
	assert.ErrorIs(t, err, os.ErrNotExist)
}
