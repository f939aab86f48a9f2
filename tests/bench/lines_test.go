// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/receiver/filelogreceiver"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-tc/otelcol-tc/receiver/runtimelogreceiver"
)

func TestLinesAreWrittenAsTheSystemsDo(t *testing.T) {
	f := func(got, want string) {
		t.Helper()
		require.Equal(t, strings.NewReplacer("<trace>", traceText(7), "<span>", spanText(7)).Replace(want), got)
	}
	f(cppLine(7), "2026-11-18T11:06:40.010590959+00:00 E tid=4107 chunk_receiver.cc:97 trace_id=<trace> span_id=<span> chunk 7 received")
	f(pythonLine(7), "INFO 11-18 11:06:40 [grpc-worker-7] trace_id=<trace> span_id=<span> grpc_service.py:512: health check 7 ok")
	f(instrumentedLine(7), "2026-11-18 11:06:40,010 INFO [tuft.futures] [futures.py:88] [trace_id=<trace> span_id=<span> resource.service.name=tuft trace_sampled=True] - Future 7 enqueued")
}

func TestFilesHoldAllLines(t *testing.T) {
	l := newLineLoad(5)
	require.Equal(t, 5, strings.Count(string(l.text), "\n"))
	for n, first := range []int{0, 1, 2, 3, 4, 0} {
		path := filepath.Join(t.TempDir(), "file")
		require.NoError(t, l.write(path, n))
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		var want strings.Builder
		for i := range 5 {
			want.WriteString(cppLine((first+i)%5) + "\n")
		}
		require.Equal(t, want.String(), string(content))
	}
}

// found is what a line of TensorCast's C++ says.
type found struct {
	at              time.Time
	severity        plog.SeverityNumber
	trace, span     string
	thread, message string
	file, line      string
}

func TestReceiversFindWhatLinesSay(t *testing.T) {
	const count = 100
	var want []found
	for n := range count {
		source, message := said(cppMessages, n)
		file, line, _ := strings.Cut(source, ":")
		severity := map[byte]plog.SeverityNumber{'I': plog.SeverityNumberInfo, 'W': plog.SeverityNumberWarn, 'E': plog.SeverityNumberError}[cppSeverity(n)]
		want = append(want, found{writtenAt(n), severity, traceText(n), spanText(n), strconv.Itoa(cppThread(n)), message, file, line})
	}
	path := filepath.Join(t.TempDir(), "lines.log")
	require.NoError(t, newLineLoad(count).write(path, 0))

	f := func(factory receiver.Factory, thread, file, line string, configs ...string) {
		t.Run(factory.Type().String(), func(t *testing.T) {
			var got []found
			for _, record := range readFile(t, factory, path, count, configs...) {
				attribute := func(key string) string {
					value, _ := record.Attributes().Get(key)
					return value.AsString()
				}
				got = append(got, found{
					record.Timestamp().AsTime(), record.SeverityNumber(), record.TraceID().String(), record.SpanID().String(),
					attribute(thread), record.Body().Str(), attribute(file), attribute(line),
				})
			}
			require.Equal(t, want, got)
		})
	}
	f(filelogreceiver.NewFactory(), "thread", "file", "line", config("file_log"), config("file_log_regex"))
	f(runtimelogreceiver.NewFactory(), "thread.id", "code.file.path", "code.line.number", config("runtime_log"))
}

// readFile has a receiver read a file of so many lines.
func readFile(t *testing.T, factory receiver.Factory, path string, lines int, configs ...string) (records []plog.LogRecord) {
	id := factory.Type().String()
	configs = append(configs, fmt.Sprintf("receivers: {%s: {include: [%q]}}", id, path))
	var sink consumertest.LogsSink
	r, err := factory.CreateLogs(t.Context(), receivertest.NewNopSettings(factory.Type()), readPart(t, factory, "receivers::"+id, configs...), &sink)
	require.NoError(t, err)
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	require.Eventually(t, func() bool { return sink.LogRecordCount() >= lines }, 10*time.Second, 10*time.Millisecond)
	require.NoError(t, r.Shutdown(t.Context()))
	for _, ld := range sink.AllLogs() {
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, record := range sl.LogRecords().All() {
					records = append(records, record)
				}
			}
		}
	}
	return records
}
