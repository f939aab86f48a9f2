package runtimelogreceiver

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/progress"
)

// What is known of a deleted file goes, in memory and in the storage, once what it held is
// delivered. What is known of a file stays as long as there is the file.
func TestDeletedFilesAreForgotten(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.FlushTimeout = time.Hour })
	r.start()
	r.write("a.log", cpp+"one\n")
	r.write("b.log", cpp+"two\n")
	require.Eventually(t, func() bool { return r.storedFiles() == 2 }, 5*time.Second, time.Millisecond)
	require.NoError(t, os.Remove(filepath.Join(r.dir, "a.log")))
	require.Eventually(t, func() bool { return r.storedFiles() == 1 }, 5*time.Second, time.Millisecond)
	assert.Equal(t, []string{"one"}, r.bodies(""))
	assert.Len(t, r.run.receiver.files.list(), 1)
	r.stop()

	r.start()
	require.Eventually(t, r.polled, 5*time.Second, time.Millisecond)
	r.settled()
	assert.Equal(t, 1, r.storedFiles())
}

func (r *rig) storedFiles() int {
	entries, err := (&progress.Store{Client: r.run.receiver.client}).Load(r.t.Context())
	require.NoError(r.t, err)
	return len(entries)
}
