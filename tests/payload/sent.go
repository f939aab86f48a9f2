// SPDX-License-Identifier: Apache-2.0

package payload

import (
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Traces reads OTLP in JSON, whose times are durations from an instant, such as "@-5ms".
func Traces(t *testing.T, file string, instant time.Time) ptrace.Traces {
	t.Helper()
	traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(read(t, file, instant))
	require.NoError(t, err)
	return traces
}

// Metrics is Traces for metrics.
func Metrics(t *testing.T, file string, instant time.Time) pmetric.Metrics {
	t.Helper()
	metrics, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(read(t, file, instant))
	require.NoError(t, err)
	return metrics
}

// Logs is Traces for log records.
func Logs(t *testing.T, file string, instant time.Time) plog.Logs {
	t.Helper()
	logs, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(read(t, file, instant))
	require.NoError(t, err)
	return logs
}

var offset = regexp.MustCompile(`"@-?[0-9]+m?s"`)

// read reads a file with its times made absolute.
func read(t *testing.T, file string, instant time.Time) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return offset.ReplaceAllFunc(text, func(quoted []byte) []byte {
		after, err := time.ParseDuration(string(quoted[2 : len(quoted)-1]))
		require.NoError(t, err)
		return strconv.AppendQuote(nil, strconv.FormatInt(instant.Add(after).UnixNano(), 10))
	})
}
