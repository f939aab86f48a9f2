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
	readLines(t, filepath.Join(c.DataDir, "traces.json"), func(line []byte) error {
		batch, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
		if err == nil {
			batch.ResourceSpans().MoveAndAppendTo(all.ResourceSpans())
		}
		return err
	})
	return all
}

// Metrics returns the metrics that the file exporter has written so far. Each batch has its own resource
// entries.
func (c *Collector) Metrics(t testing.TB) pmetric.Metrics {
	t.Helper()
	return c.MetricsIn(t, "metrics.json")
}

// MetricsIn is Metrics for another file of the data directory.
func (c *Collector) MetricsIn(t testing.TB, file string) pmetric.Metrics {
	t.Helper()
	all := pmetric.NewMetrics()
	readLines(t, filepath.Join(c.DataDir, file), func(line []byte) error {
		batch, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(line)
		if err == nil {
			batch.ResourceMetrics().MoveAndAppendTo(all.ResourceMetrics())
		}
		return err
	})
	return all
}

// LogRecords returns the log records that the file exporter has written so far. Each batch has its own
// resource entries.
func (c *Collector) LogRecords(t testing.TB) plog.Logs {
	t.Helper()
	return c.LogRecordsIn(t, "logs.json")
}

// LogRecordsIn is LogRecords for another file of the data directory.
func (c *Collector) LogRecordsIn(t testing.TB, file string) plog.Logs {
	t.Helper()
	all := plog.NewLogs()
	readLines(t, filepath.Join(c.DataDir, file), func(line []byte) error {
		batch, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(line)
		if err == nil {
			batch.ResourceLogs().MoveAndAppendTo(all.ResourceLogs())
		}
		return err
	})
	return all
}

// readLines calls do with every complete line of a file. It skips a last line without newline, which is
// still being written.
func readLines(t testing.TB, path string, do func(line []byte) error) {
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
		if err := do(line); err != nil {
			t.Fatalf("%s:%d: %v", path, number, err)
		}
		content = rest
	}
}
