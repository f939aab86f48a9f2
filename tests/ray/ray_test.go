// SPDX-License-Identifier: Apache-2.0

package ray

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// A real Ray's metrics page, log files and spans come out complete. It is one run, because Ray takes a
// minute to start.
func TestRay(t *testing.T) {
	collectortest.Needs(t, "ray", ".venv-ray/bin/python")
	dir, frozen := newDir(t), serveFrozen(t)
	c := collectortest.Start(t, collectortest.Options{Env: map[string]string{
		"TZ":                        "UTC", // that of Ray: its logs have no zone
		"OTELCOL_TC_SCRAPE_TARGETS": fmt.Sprintf("[%q]", frozen.target),
		"OTELCOL_TC_LOG_FILES":      logFiles(t, dir),
	}})
	r := start(t, dir, c.HTTP)

	checkPage(t, c, frozen, fetchPage(t, r.Metrics))
	r.stop()
	spans := notedSpans(t, dir)
	collectortest.AwaitSpans(t, c, len(spans))
	files := readFiles(t, dir)
	awaitLines(t, c, files)
	require.Zero(t, c.Stop(t).Code)

	t.Run("spans", func(t *testing.T) { checkSpans(t, spans, c.Traces(t)) })
	t.Run("logs", func(t *testing.T) { checkLogs(t, files, c.LogRecords(t)) })
	t.Run("traces of logs", func(t *testing.T) { checkTraces(t, spans, c.LogRecords(t), r.Requests) })
}

// logFiles returns the globs of a session's log files. session_latest is a link to the same directory.
func logFiles(t *testing.T, dir string) string {
	t.Helper()
	globs, err := json.Marshal(filesOf(dir))
	require.NoError(t, err)
	return string(globs)
}

func filesOf(dir string) []string {
	logs := filepath.Join(dir, "session_2*", "logs")
	return []string{
		filepath.Join(logs, "*.log"), filepath.Join(logs, "*.out"), filepath.Join(logs, "*.err"),
		filepath.Join(logs, "serve", "*.log"),
	}
}
