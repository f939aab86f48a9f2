// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEachFileIsASlice(t *testing.T) {
	f, err := newLineLoad(5).feed("", "")
	require.NoError(t, err)
	w := f.(*writer)
	files := strings.TrimPrefix(w.env()[0], "BENCH_LOG_FILES=")
	w.telemetry = telemetryOf(t, countingLines(t, files))
	require.NoError(t, w.ready(t.Context()))

	for range 3 {
		s, err := w.measure(t.Context(), &process{pid: os.Getpid()}, lengths{})
		require.NoError(t, err)
		require.Equal(t, int64(5), s.items)
		left, err := os.ReadDir(w.dir)
		require.NoError(t, err)
		require.Empty(t, left)
	}
	require.NoError(t, w.close())
	require.NoDirExists(t, w.dir)
}

func TestTooManyLinesAreRefused(t *testing.T) {
	w := &writer{load: newLineLoad(5), dir: t.TempDir(), telemetry: telemetryOf(t, func() int { return 6 })}
	_, err := w.measure(t.Context(), &process{pid: os.Getpid()}, lengths{})
	require.EqualError(t, err, "6 lines were accepted, of 5")
}

func TestMissingLinesAreReported(t *testing.T) {
	w := &writer{load: newLineLoad(5), dir: t.TempDir(), telemetry: telemetryOf(t, func() int { return 4 })}
	ctx, cancel := context.WithTimeout(t.Context(), 2*pause)
	defer cancel()
	_, err := w.measure(ctx, &process{pid: os.Getpid()}, lengths{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "of 5 lines were accepted")
}

// countingLines reads each file once.
func countingLines(t *testing.T, files string) func() int {
	read, sum := map[string]bool{}, 0
	return func() int {
		paths, err := filepath.Glob(files)
		require.NoError(t, err)
		for _, path := range paths {
			if content, err := os.ReadFile(path); err == nil && !read[path] {
				read[path] = true
				sum += bytes.Count(content, []byte("\n"))
			}
		}
		return sum
	}
}

// telemetryOf is the address of a collector that says it has accepted so many.
func telemetryOf(t *testing.T, accepted func() int) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "%s{receiver=\"file_log\",transport=\"\"} %d\n", counter, accepted())
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func TestSumOf(t *testing.T) {
	f := func(page string, want int64) {
		t.Helper()
		got, err := sumOf(page, counter+"{")
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	f("", 0)
	f("# TYPE otelcol_receiver_accepted_log_records counter\n"+
		"otelcol_receiver_accepted_log_records{receiver=\"file_log\",transport=\"\"} 1.2e+06\n"+
		"otelcol_receiver_accepted_log_records{receiver=\"otlp\",transport=\"grpc\"} 34\n"+
		"otelcol_receiver_accepted_log_records_size{receiver=\"otlp\"} 5\n", 1_200_034)

	_, err := sumOf("otelcol_receiver_accepted_log_records{} many\n", counter+"{")
	require.EqualError(t, err, `otelcol_receiver_accepted_log_records: must be a number (got "many")`)
}
