// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Traces returns the spans that the file exporter has written so far. Each batch has its own resource
// entries.
func (c *Collector) Traces(t testing.TB) ptrace.Traces {
	t.Helper()
	all := ptrace.NewTraces()
	readBatches(t, c.file("traces.json"), (&ptrace.JSONUnmarshaler{}).UnmarshalTraces, func(batch ptrace.Traces) {
		batch.ResourceSpans().MoveAndAppendTo(all.ResourceSpans())
	})
	return all
}

// Metrics is Traces for metrics.
func (c *Collector) Metrics(t testing.TB) pmetric.Metrics {
	t.Helper()
	return c.MetricsIn(t, "metrics.json")
}

// MetricsIn is Metrics for another file of the data directory.
func (c *Collector) MetricsIn(t testing.TB, file string) pmetric.Metrics {
	t.Helper()
	all := pmetric.NewMetrics()
	readBatches(t, c.file(file), (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics, func(batch pmetric.Metrics) {
		batch.ResourceMetrics().MoveAndAppendTo(all.ResourceMetrics())
	})
	return all
}

// LogRecords is Traces for log records.
func (c *Collector) LogRecords(t testing.TB) plog.Logs {
	t.Helper()
	return c.LogRecordsIn(t, "logs.json")
}

// LogRecordsIn is LogRecords for another file of the data directory.
func (c *Collector) LogRecordsIn(t testing.TB, file string) plog.Logs {
	t.Helper()
	all := plog.NewLogs()
	readBatches(t, c.file(file), (&plog.JSONUnmarshaler{}).UnmarshalLogs, func(batch plog.Logs) {
		batch.ResourceLogs().MoveAndAppendTo(all.ResourceLogs())
	})
	return all
}

func (c *Collector) file(name string) string { return filepath.Join(c.DataDir, name) }

// readBatches calls add with the batch of every complete line of a file. It skips a last line without newline, which
// is still being written.
func readBatches[B any](t testing.TB, path string, read func([]byte) (B, error), add func(B)) {
	t.Helper()
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for number := 1; ; number++ {
		line, rest, complete := bytes.Cut(content, []byte{'\n'})
		if !complete {
			return
		}
		batch, err := read(line)
		if err != nil {
			t.Fatalf("%s:%d: %v", path, number, err)
		}
		add(batch)
		content = rest
	}
}
