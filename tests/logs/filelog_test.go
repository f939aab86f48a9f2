// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// The entries of text logs come out as records, in order: those that were there before
// the collector, and those written later.
func TestLogFilesComeOutAsRecords(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "daemon.log")
	collectortest.AppendLines(t, path,
		`2026-11-21T10:00:00.000000001+00:00 I tid=7 store.cc:12 trace_id=0af7651916cd43dd8448eb211c80319c span_id=b7ad6b7169203331 pinned`,
		`INFO 11-21 10:00:01 [MainThread] trace_id=- span_id=- server.py:8: ready`,
		`  with two workers`)
	c := collectortest.StartReading(t, dir)

	requireBodies(t, c, "pinned", "ready\n  with two workers")
	collectortest.AppendLines(t, path, `ERROR    2026-11-21 10:00:02,000 42 engine.py[line:99] 上下文 lost`)
	requireBodies(t, c, "pinned", "ready\n  with two workers", "上下文 lost")

	for record := range collectortest.Records(c.LogRecords(t)) {
		assert.Equal(t, "daemon.log", collectortest.LogText(record, collectortest.FileKey))
	}
}

// requireBodies waits until just these records came out, in order.
func requireBodies(t *testing.T, c *collectortest.Collector, want ...string) {
	t.Helper()
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		var got []string
		for record := range collectortest.Records(c.LogRecords(t)) {
			got = append(got, record.Body().AsString())
		}
		return slices.Equal(want, got), fmt.Sprintf("records written: %q", got)
	})
}
