// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
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
