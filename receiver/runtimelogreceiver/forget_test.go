// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/otelcol-tc/otelcol-tc/internal/statefile"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/progress"
)

// The state of a deleted file is removed from memory and storage when its records are
// delivered. The state of an existing file stays.
func TestDeletedFilesAreForgotten(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.FlushTimeout = time.Hour })
	r.start()
	r.write("a.log", cpp+"one\n")
	r.write("b.log", cpp+"two\n")
	require.Eventually(t, func() bool { return r.storedFiles() == 2 }, patience, time.Millisecond)
	require.NoError(t, os.Remove(filepath.Join(r.dir, "a.log")))
	require.Eventually(t, func() bool { return r.storedFiles() == 1 }, patience, time.Millisecond)
	assert.Equal(t, []string{"one"}, r.bodies(""))
	var left []string
	for f := range r.run.receiver.files.Range {
		left = append(left, f.(*file).name)
	}
	assert.Equal(t, []string{"b.log"}, left)
	r.stop()

	require.NoError(t, os.Remove(filepath.Join(r.state, startedName)))
	r.start()
	require.Eventually(t, r.polled, patience, time.Millisecond)
	r.awaitQuiet()
	assert.Equal(t, 1, r.storedFiles())
}

// storedFiles returns how many files have a position in the directory, or -1 while one is written. It reads a copy:
// reading what is being written would set it aside.
func (r *rig) storedFiles() int {
	directory, err := os.MkdirTemp("", "")
	require.NoError(r.t, err)
	defer os.RemoveAll(directory)
	if err := os.CopyFS(directory, os.DirFS(r.state)); err != nil {
		return -1
	}
	state, err := statefile.Open(statefile.Settings{Path: directory, Telemetry: componenttest.NewNopTelemetrySettings()})
	require.NoError(r.t, err)
	defer state.Close()
	entries, err := (&progress.Store{Directory: state}).Load()
	if err != nil {
		return -1
	}
	return len(entries)
}
