// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/tail"
)

// Reading continues from what the file consumer of pkg/stanza has stored: its checkpoints, the
// deliveries since, and what was held.
func TestLegacyCheckpoints(t *testing.T) {
	r := newRig(t, nil)
	first, second, third := cpp+"one\n", cpp+"two\n", cpp+"three\n"
	for _, name := range []string{"a.log", "b.log", "c.log"} {
		r.write(name, first+second+third)
	}
	path := func(name string) string { return filepath.Join(r.dir, name) }
	known := func(name string, offset int) string {
		text, err := json.Marshal(map[string]any{
			"Fingerprint": map[string]any{"first_bytes": []byte(first + second)}, "Offset": offset,
			"FileAttributes": map[string]any{"log.file.path": path(name), "log.file.name": name},
		})
		require.NoError(t, err)
		return string(text)
	}
	r.stored["knownFiles"] = fmt.Appendf(nil, "2\n%s\n%s\n", known("a.log", len(first)), known("b.log", len(first)))
	delivered, err := json.Marshal(map[uint64]map[string]any{
		1: {"Path": path("b.log"), "End": len(first + second), "Last": tail.NewSpan(int64(len(first)), []byte(second)), "Held": []byte(second[:len(second)-1])},
		2: {"Path": path("c.log"), "End": len(first), "Last": tail.NewSpan(0, []byte(first))},
	})
	require.NoError(t, err)
	r.stored["progress.7"] = delivered
	r.stored[startedKey] = []byte{1}
	r.start()
	r.records(6)
	assert.Equal(t, []string{"two", "three"}, r.bodies("a.log"))
	assert.Equal(t, []string{"two", "three"}, r.bodies("b.log"))
	assert.Equal(t, []string{"two", "three"}, r.bodies("c.log"))
	r.stop()
	assert.NotContains(t, r.stored, "knownFiles")
	assert.NotContains(t, r.stored, "progress.7")

	require.NoError(t, os.Remove(path("c.log")))
	r.start()
	r.write("a.log", cpp+"four\n")
	r.records(7)
}

// Stored data of an older release never prevent a start.
func TestDamagedLegacyCheckpoints(t *testing.T) {
	r := newRig(t, nil)
	r.write("a.log", cpp+"one\n")
	r.stored["knownFiles"] = []byte("3\n{\"Fingerprint\":\n")
	r.stored["progress.0"] = []byte("{")
	r.start()
	r.records(1)
}
