// SPDX-License-Identifier: Apache-2.0

package runtimelogreceiver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.uber.org/multierr"

	"github.com/otelcol-tc/otelcol-tc/internal/statefile"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/metadata"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/progress"
	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver/internal/tail"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// Each file of testdata/files is read as its .json says, which UPDATE_GOLDEN=1 writes.
func TestFiles(t *testing.T) {
	inputs, err := filepath.Glob("testdata/files/*.log")
	require.NoError(t, err)
	require.NotEmpty(t, inputs)
	for _, input := range inputs {
		name := filepath.Base(input)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			modified, location := time.Date(2026, 11, 21, 10, 1, 0, 0, time.UTC), "UTC"
			switch strings.TrimSuffix(name, ".log") {
			case "new_year":
				modified = time.Date(2027, 1, 1, 0, 0, 5, 0, time.UTC)
			case "clock_back", "clock_forward":
				location = "Europe/Berlin"
			}
			r := newRig(t, func(cfg *Config) {
				cfg.Location = location
				cfg.Resource = map[string]string{"host.name": "node-7"}
			})
			text, err := os.ReadFile(input)
			require.NoError(t, err)
			r.write(name, string(text))
			require.NoError(t, os.Chtimes(filepath.Join(r.dir, name), time.Time{}, modified))
			r.start()
			golden := strings.TrimSuffix(input, ".log") + ".json"
			if os.Getenv("UPDATE_GOLDEN") != "" {
				r.awaitQuiet()
				require.NoError(t, os.WriteFile(golden, r.rendered(), 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err, "UPDATE_GOLDEN=1 writes it")
			assert.EventuallyWithT(t, func(c *assert.CollectT) {
				assert.Equal(c, string(want), string(r.rendered()))
			}, patience, 20*time.Millisecond)
		})
	}
}

// rendered returns all delivered records in OTLP's JSON, without the times of reading.
func (r *rig) rendered() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := plog.NewLogs()
	for _, batch := range r.batches {
		for _, resource := range batch.ResourceLogs().All() {
			resource.CopyTo(all.ResourceLogs().AppendEmpty())
		}
	}
	for _, record := range records(all) {
		record.SetObservedTimestamp(0)
	}
	text, err := (&plog.JSONMarshaler{}).MarshalLogs(all)
	require.NoError(r.t, err)
	var indented bytes.Buffer
	require.NoError(r.t, json.Indent(&indented, text, "", "  "))
	indented.WriteByte('\n')
	return indented.Bytes()
}

func records(logs plog.Logs) []plog.LogRecord {
	var all []plog.LogRecord
	for _, resource := range logs.ResourceLogs().All() {
		for _, scope := range resource.ScopeLogs().All() {
			for _, record := range scope.LogRecords().All() {
				all = append(all, record)
			}
		}
	}
	return all
}

// The result is the same whether a file is read at once or in other ways.
func TestFilesOverTime(t *testing.T) {
	t.Run("the last record comes without a next one", func(t *testing.T) {
		r := newRig(t, nil)
		r.start()
		r.write("a.log", cpp+"one\n  more\n")
		assert.Equal(t, "one\n  more", r.records(1)[0].Body().Str())
	})
	t.Run("renamed out of the pattern", func(t *testing.T) {
		r := newRig(t, nil)
		r.start()
		r.write("a.log", cpp+"one\n")
		r.records(1)
		r.write("a.log", cpp+"two\n")
		r.rename("a.log", "a.log.1")
		r.write("a.log", cpp+"three\n")
		r.records(3)
		assert.ElementsMatch(t, []string{"one", "two", "three"}, r.bodies("a.log"))
	})
	t.Run("truncated, and what follows begins the same", func(t *testing.T) {
		r := newRig(t, nil)
		r.start()
		r.write("a.log", cpp+"one\n"+cpp+"two\n")
		r.records(2)
		require.NoError(t, os.Truncate(filepath.Join(r.dir, "a.log"), 0))
		r.write("a.log", cpp+"one\n")
		r.records(3)
	})
	t.Run("a megabyte in a line", func(t *testing.T) {
		r := newRig(t, nil)
		r.start()
		long := strings.Repeat("x", 1_000_000)
		r.write("a.log", cpp+long+"\n"+long+"\n"+long+"\n"+cpp+"two\n")
		got := r.records(4)
		assert.Equal(t, long, got[0].Body().Str())
		assert.Equal(t, long, got[1].Body().Str())
		assert.Equal(t, long, got[2].Body().Str())
	})
	t.Run("longer than a record may be", func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.MaxLogSize = 1024 })
		r.start()
		r.write("a.log", cpp+strings.Repeat("x", 3000)+"\n"+cpp+"two\n")
		all := strings.Join(r.bodies("a.log"), "")
		require.Eventually(t, func() bool { all = strings.Join(r.bodies("a.log"), ""); return strings.HasSuffix(all, "two") }, patience, time.Millisecond)
		assert.Equal(t, strings.Repeat("x", 3000)+"two", all)
	})
	t.Run("what is held at the end goes out", func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.FlushTimeout, cfg.StateDirectory = time.Hour, "" })
		r.start()
		r.write("a.log", cpp+"one\n"+cpp+"two\n  more\n")
		r.records(1)
		r.stop()
		assert.Equal(t, []string{"one", "two\n  more"}, r.bodies("a.log"))
	})
	t.Run("what is held at the end goes on at the next start", func(t *testing.T) {
		r := newRig(t, nil)
		r.start()
		r.write("a.log", cpp+"one\n"+cpp+"two\n  mo")
		r.records(1)
		r.stop()
		assert.Equal(t, []string{"one"}, r.bodies("a.log"))
		r.write("a.log", "re\n"+cpp+"three\n")
		r.start()
		r.records(3)
		assert.Equal(t, []string{"one", "two\n  more", "three"}, r.bodies("a.log"))
	})
	t.Run("what is held at the end goes out at the next start, its file being gone", func(t *testing.T) {
		flushTimeout := time.Hour
		r := newRig(t, func(cfg *Config) { cfg.FlushTimeout = flushTimeout })
		r.start()
		r.write("a.log", cpp+"one\n"+cpp+"two\n")
		r.records(1)
		r.stop()
		flushTimeout = 20 * time.Millisecond
		require.NoError(t, os.Remove(filepath.Join(r.dir, "a.log")))
		r.start()
		r.records(2)
		assert.Equal(t, []string{"one", "two"}, r.bodies("a.log"))
	})
}

// start_at applies to the first start: lines written between two runs are read, even if the
// first run saw no file.
func TestStartAtEndOnce(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.StartAt = "end" })
	r.start()
	require.Eventually(t, r.polled, patience, time.Millisecond)
	r.stop()
	r.write("a.log", cpp+"one\n"+cpp+"two\n")
	r.start()
	r.records(2)
}

// A consumer that fails may keep or empty the records, so each attempt needs new ones. If one
// of two consumers fails permanently, the second still receives the records.
func TestEachAttemptIsWhole(t *testing.T) {
	r := newRig(t, nil)
	r.answer(multierr.Combine(consumererror.NewPermanent(errors.New("no")), errors.New("away")))
	r.empties = true
	r.start()
	r.write("a.log", cpp+"one\n"+cpp+"two\n")
	r.awaitRefusals(3)
	assert.Empty(t, r.bodies(""))
	r.answer(nil)
	r.records(2)
	assert.Equal(t, []string{"one", "two"}, r.bodies("a.log"))
	r.answer(consumererror.NewPermanent(errors.New("no")))
	r.write("a.log", cpp+"dropped\n")
	r.awaitRefusals(1)
	r.answer(nil)
	r.write("a.log", cpp+"four\n")
	r.records(3)
}

// The state of a deleted file is removed from memory and storage when its records are
// delivered. The state of an existing file stays.
func TestDeletedFilesAreForgotten(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.FlushTimeout = time.Hour })
	r.start()
	r.write("a.log", cpp+"one\n")
	r.write("b.log", cpp+"two\n")
	require.Eventually(t, func() bool { return r.storedFiles() == 2 }, patience, time.Millisecond)
	require.NoError(t, os.Remove(filepath.Join(r.dir, "a.log")))
	require.Eventually(t, func() bool { return r.storedFiles() == 1 }, patience, time.Millisecond)
	assert.Equal(t, []string{"one"}, r.bodies(""))
	var left []string
	for f := range r.run.receiver.files.Range {
		left = append(left, f.(*file).name)
	}
	assert.Equal(t, []string{"b.log"}, left)
	r.stop()

	require.NoError(t, os.Remove(filepath.Join(r.state, startedName)))
	r.start()
	require.Eventually(t, r.polled, patience, time.Millisecond)
	r.awaitQuiet()
	assert.Equal(t, 1, r.storedFiles())
}

// storedFiles returns how many files have a position in the directory, or -1 while one is written. It reads a copy:
// reading what is being written would set it aside.
func (r *rig) storedFiles() int {
	directory, err := os.MkdirTemp("", "")
	require.NoError(r.t, err)
	defer os.RemoveAll(directory)
	if err := os.CopyFS(directory, os.DirFS(r.state)); err != nil {
		return -1
	}
	state, err := statefile.Open(statefile.Settings{Path: directory, Telemetry: componenttest.NewNopTelemetrySettings()})
	require.NoError(r.t, err)
	defer state.Close()
	entries, err := (&progress.Store{Directory: state}).Load()
	if err != nil {
		return -1
	}
	return len(entries)
}

// Each file of testdata/records becomes the records of its .txt, which UPDATE_GOLDEN=1 writes: service, time, severity
// and body of each, and its attributes.
func TestRecords(t *testing.T) {
	files, err := filepath.Glob("testdata/records/*.log")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			testfiles.Golden(t, strings.TrimSuffix(file, ".log")+".txt", recordsOf(t, text))
		})
	}
}

// recordsOf returns the records of a file /logs/file.log that is read at once.
func recordsOf(t *testing.T, text []byte) string {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.Include, cfg.Location, cfg.IncludeFileName = []string{"/logs/*.log"}, "UTC", false
	next := new(consumertest.LogsSink)
	r, err := newReceiver(receivertest.NewNopSettings(metadata.Type), cfg, next)
	require.NoError(t, err)
	require.NoError(t, r.prepare(componenttest.NewNopHost()))
	one := r.newFile(1)
	one.Renamed("/logs/file.log")
	at := tail.Checkpoint{Modified: time.Date(2026, 11, 21, 10, 1, 0, 0, time.UTC)}
	require.NoError(t, one.Read(context.Background(), text, at))
	require.NoError(t, one.Ended(context.Background()))
	var all strings.Builder
	for _, logs := range next.AllLogs() {
		for _, resource := range logs.ResourceLogs().All() {
			service, _ := resource.Resource().Attributes().AsRaw()[serviceKey].(string)
			for _, record := range resource.ScopeLogs().At(0).LogRecords().All() {
				written := "-"
				if record.Timestamp() != 0 {
					written = record.Timestamp().AsTime().Format(time.RFC3339Nano)
				}
				fmt.Fprintf(&all, "%s %s %s %q\n", service, written, record.SeverityNumber(), record.Body().Str())
				attributes := record.Attributes().AsRaw()
				for _, key := range slices.Sorted(maps.Keys(attributes)) {
					fmt.Fprintf(&all, "  %s: %v\n", key, attributes[key])
				}
			}
		}
	}
	return all.String()
}
