// SPDX-License-Identifier: Apache-2.0

package durability

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// guardedStorage makes the queue and the index persistent, in a directory that storage_guard checks.
const guardedStorage = `{
  exporters: {otlp_http: {sending_queue: {queue_size: 1000, storage: file_storage}}},
  extensions: {
    file_storage: {directory: %[1]q},
    storage_guard: {directory: %[1]q},
    correlation_index: {storage: file_storage, snapshot_interval: 1s}},
  service: {extensions: [correlation_index, file_storage, health_check, readiness, storage_guard]}}`

// Files that are truncated while nobody looks would end the process at its start. They are set
// aside instead, and new data flows. Extensions start in an order of their own each time, so
// that the index, whose file is damaged as well, tries it often before storage_guard would.
func TestDamagedQueueIsSetAside(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	change := fmt.Sprintf(guardedStorage, directory)
	queue := filepath.Join(directory, "exporter_otlp_http__traces")
	index := filepath.Join(directory, "extension_correlation_index_")

	backend := startSpanBackend(t, http.StatusServiceUnavailable)
	c := startForwarding(t, backend.URL, nil, change)
	assert.Zero(t, damagedFiles(t, c))
	for i := range 100 {
		require.Equal(t, http.StatusOK, collectortest.SendSpan(t, c.Collector, fmt.Sprint(i), 10_000))
	}
	c.Kill(t)

	collectortest.Truncate(t, queue, 2)
	collectortest.Truncate(t, index, 8)
	c = startForwarding(t, backend.URL, nil, change)
	assert.Equal(t, 2.0, damagedFiles(t, c))
	assert.Contains(t, c.Logs(), "A stored file is damaged and was set aside.")
	for _, file := range []string{queue, index} {
		aside, err := filepath.Glob(file + ".damaged-*")
		require.NoError(t, err)
		assert.Len(t, aside, 1)
	}
	require.Equal(t, http.StatusOK, collectortest.SendSpan(t, c.Collector, "new", 10_000))
	backend.status.Store(http.StatusOK)
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		return backend.took("new"), "the new span has not arrived"
	})
	require.Zero(t, c.Stop(t).Code)

	// What is whole is left alone, and what is open is closed before it is checked again.
	c = startForwarding(t, backend.URL, nil, change)
	requireAllWhole := func() {
		assert.Zero(t, damagedFiles(t, c))
		metrics := c.SelfMetrics(t)
		assert.Equal(t, 2.0, collectortest.Sum(metrics["otelcol_storage_guard_checked_files"], nil))
		assert.Zero(t, collectortest.Sum(metrics["otelcol_storage_guard_skipped_files"], nil))
	}
	requireAllWhole()
	c.Reload(t)
	requireAllWhole()
	c.waitReady(t)
}

func damagedFiles(t *testing.T, c asked) float64 {
	t.Helper()
	family := c.SelfMetrics(t)["otelcol_storage_guard_damaged_files"]
	require.NotNil(t, family, "it is there from the start, so that an alert sees it")
	return collectortest.Sum(family, nil)
}
