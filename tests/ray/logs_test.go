// SPDX-License-Identifier: Apache-2.0

package ray

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
)

// The first lines of Ray's records: Python, C++ and Serve. They are written from Ray's formatters, apart from the pack.
var firstLines = []*regexp.Regexp{
	regexp.MustCompile(`^(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\t(?P<level>[A-Z]+) (?P<file>[^ :]+):(?P<line>\d+) -- `),
	regexp.MustCompile(`^\[(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) (?P<level>[TDIWEC]) \d+ \d+\] (?:\(\w+\) )?(?P<file>[^ :]+):(?P<line>\d+): `),
	regexp.MustCompile(`^(?P<level>[A-Z]+) (?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) (?P<component>\S+) \S+ (?:\S+ )?-- `),
}

// severities are what the levels mean.
var severities = map[string]plog.SeverityNumber{
	"D": plog.SeverityNumberDebug, "I": plog.SeverityNumberInfo, "W": plog.SeverityNumberWarn,
	"E": plog.SeverityNumberError, "C": plog.SeverityNumberFatal,
	"DEBUG": plog.SeverityNumberDebug, "INFO": plog.SeverityNumberInfo, "WARNING": plog.SeverityNumberWarn,
	"ERROR": plog.SeverityNumberError, "CRITICAL": plog.SeverityNumberFatal,
}

// readFiles returns the complete lines of a session's log files by their names.
func readFiles(t *testing.T, dir string) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	for _, glob := range filesOf(dir) {
		paths, err := filepath.Glob(glob)
		require.NoError(t, err)
		for _, path := range paths {
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			if len(content) > 0 {
				files[filepath.Base(path)] = strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
			}
		}
	}
	return files
}

// parse returns what the first line of a record states, by the names of groups.
func parse(line string) map[string]string {
	for _, pattern := range firstLines {
		if match := pattern.FindStringSubmatch(line); match != nil {
			stated := map[string]string{}
			for i, name := range pattern.SubexpNames()[1:] {
				stated[name] = match[i+1]
			}
			return stated
		}
	}
	return nil
}

// awaitLines waits until the records have all first lines.
func awaitLines(t *testing.T, c *collectortest.Collector, files map[string][]string) {
	t.Helper()
	collectortest.Eventually(t, time.Minute, func() (bool, string) {
		got, missing := collectortest.FileRecords(c.LogRecords(t)), 0
		for file, lines := range files {
			missing += max(0, len(recordsOf(lines))-parsed(got[file]))
		}
		return missing == 0, fmt.Sprintf("%d records missing", missing)
	})
}

// recordsOf returns what the records of a file state, in order.
func recordsOf(lines []string) (records []map[string]string) {
	for _, line := range lines {
		if stated := parse(line); stated != nil {
			records = append(records, stated)
		}
	}
	return records
}

// parsed counts the records with a severity.
func parsed(records []plog.LogRecord) (n int) {
	for _, record := range records {
		if record.SeverityNumber() != plog.SeverityNumberUnspecified {
			n++
		}
	}
	return n
}

// checkLogs checks that each line that begins a record is one, with its time, severity and source, and that no line
// is lost. Records that wait for their span come later than others.
func checkLogs(t *testing.T, files map[string][]string, logs plog.Logs) {
	t.Helper()
	got := collectortest.FileRecords(logs)
	total, printed := 0, 0
	for file, text := range files {
		var want, stated []string
		for _, record := range recordsOf(text) {
			want = append(want, describe(t, record))
		}
		lines := 0
		for _, record := range got[file] {
			// The first line has a time, whatever its message is.
			first, rest, _ := strings.Cut(record.Body().AsString(), "\n")
			lines += linesOf(strings.Split(rest, "\n")) + linesOf([]string{first + record.SeverityText()})
			if record.SeverityNumber() == plog.SeverityNumberUnspecified {
				printed++
				continue
			}
			stated = append(stated, described(record))
		}
		total += len(want)
		assert.ElementsMatch(t, want, stated, file)
		// What workers print begins with the same lines, and equal files are read once.
		if !strings.HasPrefix(file, "worker-") {
			assert.Equal(t, linesOf(text), lines, "lines of %s", file)
		}
	}
	checkServices(t, logs)
	t.Logf("%d files: %d records with time, severity and source, and %d without a format, which programs printed", len(files), total, printed)
}

// linesOf counts the lines that are not blank: a record has none at its end.
func linesOf(lines []string) (n int) {
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

// describe returns what the first line of a record states, as described does for a record.
func describe(t *testing.T, stated map[string]string) string {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04:05,000", stated["time"])
	require.NoError(t, err)
	source := stated["component"]
	if source == "" {
		source = stated["file"] + ":" + stated["line"]
	}
	return fmt.Sprint(at.UTC(), severities[stated["level"]], " ", source)
}

func described(record plog.LogRecord) string {
	source := judge.Text(record.Attributes(), "code.file.path") + ":" + judge.Text(record.Attributes(), "code.line.number")
	if source == ":" {
		source = judge.Text(record.Attributes(), "component_name")
	}
	return fmt.Sprint(record.Timestamp().AsTime(), record.SeverityNumber(), " ", source)
}

// checkServices checks that records with a format of Ray's have its service.
func checkServices(t *testing.T, logs plog.Logs) {
	t.Helper()
	services := map[string]int{}
	for _, resource := range logs.ResourceLogs().All() {
		services[collectortest.ServiceName(resource.Resource())] += resource.ScopeLogs().Len()
	}
	assert.NotZero(t, services["ray"], services)
	assert.NotZero(t, services["ray-serve"], services)
}

// checkTraces checks that Serve's lines of a request, and the lines of a task, got their trace.
func checkTraces(t *testing.T, spans []notedSpan, logs plog.Logs, requests int) {
	t.Helper()
	requestTraces, tasks := map[string]string{}, map[string]notedSpan{}
	for _, span := range spans {
		if id, ok := span.Attributes["request_id"].(string); ok {
			requestTraces[id] = span.TraceID
		}
		if id, ok := span.Attributes["ray.task_id"].(string); ok && strings.HasSuffix(span.Name, " ray.remote_worker") {
			tasks[id] = span
		}
	}
	require.Len(t, requestTraces, requests)
	ofRequests, ofTasks := 0, 0
	for record := range collectortest.Records(logs) {
		if id := judge.Text(record.Attributes(), "request_id"); id != "" && requestTraces[id] != "" {
			ofRequests++
			assert.Equal(t, requestTraces[id], record.TraceID().String(), record.Body().AsString())
		}
		if span, ok := tasks[judge.Text(record.Attributes(), "task_id")]; ok {
			ofTasks++
			assert.Equal(t, span.TraceID, record.TraceID().String(), record.Body().AsString())
			assert.Equal(t, span.SpanID, record.SpanID().String(), record.Body().AsString())
		}
		if record.TraceID() == (pcommon.TraceID{}) {
			assert.Zero(t, record.SpanID())
		}
	}
	// A request is logged by the proxy and the replica, which also logs its own line.
	assert.GreaterOrEqual(t, ofRequests, 3*requests)
	// Each call of quadruple makes two calls of double, which logs.
	assert.GreaterOrEqual(t, ofTasks, 4)
	t.Logf("%d lines of requests and %d of tasks have their trace", ofRequests, ofTasks)
}
