package tests

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// fileKey is the attribute of a text log's records that names the file.
const fileKey = "log.file.name"

// startReading starts a collector that reads the text logs of a directory.
func startReading(t *testing.T, dir string) *collectortest.Collector {
	t.Helper()
	globs, err := json.Marshal([]string{filepath.Join(dir, "*.log")})
	require.NoError(t, err)
	return collectortest.Start(t, collectortest.Options{Env: map[string]string{"OTELCOL_TC_LOG_FILES": string(globs)}})
}

// logText returns a text attribute of a record, "" for none.
func logText(record plog.LogRecord, key string) string {
	value, ok := record.Attributes().Get(key)
	if !ok {
		return ""
	}
	return value.AsString()
}

// fileRecords returns the records of text logs by file, in order.
func fileRecords(logs plog.Logs) map[string][]plog.LogRecord {
	files := map[string][]plog.LogRecord{}
	for record := range records(logs) {
		if file := logText(record, fileKey); file != "" {
			files[file] = append(files[file], record)
		}
	}
	return files
}

// pushedRecords returns the records that came over OTLP.
func pushedRecords(logs plog.Logs) []plog.LogRecord {
	var all []plog.LogRecord
	for record := range records(logs) {
		if logText(record, fileKey) == "" {
			all = append(all, record)
		}
	}
	return all
}

// awaitFileRecords waits until so many records of text logs came out.
func awaitFileRecords(t *testing.T, c *collectortest.Collector, want int) {
	t.Helper()
	collectortest.Eventually(t, arrivalTimeout, func() (bool, string) {
		got := 0
		for _, file := range fileRecords(c.LogRecords(t)) {
			got += len(file)
		}
		return got >= want, fmt.Sprintf("%d of %d records of text logs written", got, want)
	})
}

// checkEntries checks that the entries of a file came out, each as one record in the
// span that it was written in.
func checkEntries(t *testing.T, want []sentEntry, got []plog.LogRecord) {
	t.Helper()
	require.Len(t, bodies(got), len(want))
	for i, entry := range want {
		record := got[i]
		assert.Contains(t, record.Body().AsString(), entry.Body)
		assert.Equal(t, entry.Severity, record.SeverityText(), entry.Body)
		assert.NotZero(t, record.SeverityNumber(), entry.Body)
		assert.NotZero(t, record.Timestamp(), entry.Body)
		assert.Equal(t, entry.TraceID, record.TraceID().String(), entry.Body)
		assert.Equal(t, entry.SpanID, record.SpanID().String(), entry.Body)
	}
}

// bodies returns what records say, to show when they are not those wanted.
func bodies(records []plog.LogRecord) []string {
	var all []string
	for _, record := range records {
		all = append(all, record.Body().AsString())
	}
	return all
}

// writeTexts appends entries to the files of a directory.
func writeTexts(t *testing.T, dir string, lines []scenario.Line) {
	t.Helper()
	texts := map[string][]string{}
	for _, line := range lines {
		texts[line.File] = append(texts[line.File], line.Text)
	}
	for file, entries := range texts {
		appendLines(t, filepath.Join(dir, file), entries...)
	}
}

// spansOut returns the spans that came out, and their traces.
func spansOut(t *testing.T, c *collectortest.Collector) (spans map[scenario.SpanRef]bool, traces map[pcommon.TraceID]bool) {
	t.Helper()
	spans, traces = map[scenario.SpanRef]bool{}, map[pcommon.TraceID]bool{}
	for _, resource := range c.Traces(t).ResourceSpans().All() {
		for _, scope := range resource.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				spans[scenario.SpanRef{TraceID: span.TraceID(), SpanID: span.SpanID()}] = true
				traces[span.TraceID()] = true
			}
		}
	}
	return spans, traces
}

// refOf returns the span that a record names.
func refOf(record plog.LogRecord) scenario.SpanRef {
	return scenario.SpanRef{TraceID: record.TraceID(), SpanID: record.SpanID()}
}
