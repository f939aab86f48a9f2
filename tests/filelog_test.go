package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// The entries of text logs come out as records, in order: those that were there before
// the collector, and those written later.
func TestLogFilesComeOutAsRecords(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "daemon.log")
	appendLines(t, path,
		`2026-11-21T10:00:00.000000001+00:00 I tid=7 store.cc:12 trace_id=0af7651916cd43dd8448eb211c80319c span_id=b7ad6b7169203331 pinned`,
		`INFO 11-21 10:00:01 [MainThread] trace_id=- span_id=- server.py:8: ready`,
		`  with two workers`)
	c := startReading(t, dir)

	requireBodies(t, c, "pinned", "ready\n  with two workers")
	appendLines(t, path, `ERROR    2026-11-21 10:00:02,000 42 engine.py[line:99] 上下文 lost`)
	requireBodies(t, c, "pinned", "ready\n  with two workers", "上下文 lost")

	for record := range records(c.LogRecords(t)) {
		assert.Equal(t, "daemon.log", logText(record, fileKey))
	}
}

// requireBodies waits until just these records came out, in order.
func requireBodies(t *testing.T, c *collectortest.Collector, want ...string) {
	t.Helper()
	collectortest.Eventually(t, arrivalTimeout, func() (bool, string) {
		var got []string
		for record := range records(c.LogRecords(t)) {
			got = append(got, record.Body().AsString())
		}
		return slices.Equal(want, got), fmt.Sprintf("records written: %q", got)
	})
}

// records goes through all log records.
func records(logs plog.Logs) func(yield func(plog.LogRecord) bool) {
	return func(yield func(plog.LogRecord) bool) {
		for _, resource := range logs.ResourceLogs().All() {
			for _, scope := range resource.ScopeLogs().All() {
				for _, record := range scope.LogRecords().All() {
					if !yield(record) {
						return
					}
				}
			}
		}
	}
}

// appendLines writes whole lines to the end of a file.
func appendLines(t *testing.T, path string, lines ...string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	for _, line := range lines {
		_, err = file.WriteString(line + "\n")
		require.NoError(t, err)
	}
	require.NoError(t, file.Close())
}
