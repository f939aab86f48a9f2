// SPDX-License-Identifier: Apache-2.0

package logs

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/clients"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
)

// Python's logging instrumentation, as text and over OTLP: the same entries come out in
// the same spans.
func TestPythonLogging(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := collectortest.StartReading(t, dir)
	file := filepath.Join(dir, "shop.log")
	sent := clients.RunClient(t, "python_logging.py", append(clients.OverGRPC(c), "--log-file", file)...)
	require.NotEmpty(t, sent.Entries)
	awaitFileRecords(t, c, len(sent.Entries))
	require.Zero(t, c.Stop(t).Code)

	logs := c.LogRecords(t)
	checkEntries(t, sent.Entries, collectortest.FileRecords(logs)["shop.log"])
	var pushed []clients.SentLog
	for _, record := range collectortest.PushedRecords(logs) {
		pushed = append(pushed, clients.SentLog{Body: record.Body().AsString(), TraceID: record.TraceID().String(), SpanID: record.SpanID().String()})
	}
	assert.ElementsMatch(t, sent.Logs, pushed)
	checkNamesSpans(t, c)
}

// A Go service with log/slog: JSON lines, some with their ids in a group.
func TestGoSlog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := collectortest.StartReading(t, dir)
	sent := runGoslog(t, c, filepath.Join(dir, "goslog.log"))
	awaitFileRecords(t, c, len(sent.Entries))
	require.Zero(t, c.Stop(t).Code)

	checkEntries(t, sent.Entries, collectortest.FileRecords(c.LogRecords(t))["goslog.log"])
	checkNamesSpans(t, c)
}

// runGoslog builds and runs tests/goslog and returns what it sent and wrote.
func runGoslog(t *testing.T, c *collectortest.Collector, file string) clients.Sent {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), collectortest.Program(t, "goslog"), "--endpoint", c.GRPC, "--log-file", file)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	require.NoError(t, err, "%s", &stderr)
	var s clients.Sent
	require.NoError(t, json.Unmarshal(stdout, &s), "%s", stdout)
	require.NotEmpty(t, s.Entries)
	return s
}

// A PyTango device server's logs are written in C++, with ids in their own fields, which are all
// zero outside of spans: those stay without.
func TestPyTangoLogs(t *testing.T) {
	t.Parallel()
	c := collectortest.Start(t, collectortest.Options{})
	sent := clients.RunClient(t, "pytango_app.py", clients.GrpcOnly(c)...)
	require.Zero(t, c.Stop(t).Code)

	logs := c.LogRecords(t)
	clients.CheckLogs(t, sent.Logs, logs)
	inside, outside := 0, 0
	for record := range collectortest.Records(logs) {
		if record.TraceID().IsEmpty() {
			outside++
			assert.True(t, record.SpanID().IsEmpty(), record.Body().AsString())
		} else {
			inside++
		}
	}
	assert.NotZero(t, inside, "records in a span")
	assert.NotZero(t, outside, "records outside of spans")
	checkNamesSpans(t, c)
}

// checkNamesSpans checks that every id that came out with a log record is that of a
// span, or of a trace, that came out as well.
func checkNamesSpans(t *testing.T, c *collectortest.Collector) {
	t.Helper()
	spans, traces := spansOut(t, c)
	require.NotEmpty(t, spans)
	for record := range collectortest.Records(c.LogRecords(t)) {
		ref := judge.SpanOf(record)
		if !ref.SpanID.IsEmpty() {
			assert.True(t, spans[ref], "no span %v: %s", ref, record.Body().AsString())
		} else if !ref.TraceID.IsEmpty() {
			assert.True(t, traces[ref.TraceID], "no trace %v: %s", ref.TraceID, record.Body().AsString())
		}
	}
}

const keepBoth = `
processors:
  log_correlation:
    dedup_window: 0s
`

// TuFT's two handlers send every record twice. Its pack has one of each remain, unless a setting
// keeps both.
func TestRecordsSentTwice(t *testing.T) {
	config := collectortest.WriteFile(t, "keep.yaml", keepBoth)
	f := func(name string, remaining int, configs ...string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := collectortest.Start(t, collectortest.Options{Configs: configs})
			sent := clients.RunClient(t, "tuft.py", clients.OverGRPC(c)...)
			require.Zero(t, c.Stop(t).Code)

			twice := map[clients.SentLog]int{}
			for _, log := range sent.Logs {
				twice[log]++
			}
			got := map[clients.SentLog]int{}
			for record := range collectortest.Records(c.LogRecords(t)) {
				got[clients.SentLog{Body: record.Body().AsString(), TraceID: record.TraceID().String(), SpanID: record.SpanID().String()}]++
			}
			assert.Len(t, got, len(twice))
			for log, n := range twice {
				require.Equal(t, 2, n, "sent by the two handlers: %+v", log)
				assert.Equal(t, remaining, got[log], "%+v", log)
			}
		})
	}
	f("by default", 1, "builtin:dev")
	f("with a window of 0", 2, "builtin:dev", config)
}
