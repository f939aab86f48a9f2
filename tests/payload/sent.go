// SPDX-License-Identifier: Apache-2.0

package payload

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// Sent is what a test sends.
type Sent struct {
	Traces  ptrace.Traces
	Metrics pmetric.Metrics
	Logs    plog.Logs
}

// Read reads OTLP in JSON of the files NAME_traces.json, NAME_metrics.json and NAME_logs.json, as far as they are there.
// Their times are durations from an instant, such as "@-5ms". Texts are replaced by others, in pairs.
func Read(t *testing.T, name string, instant time.Time, replaced ...string) Sent {
	t.Helper()
	traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(read(t, name+"_traces.json", instant, replaced))
	require.NoError(t, err)
	metrics, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(read(t, name+"_metrics.json", instant, replaced))
	require.NoError(t, err)
	logs, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(read(t, name+"_logs.json", instant, replaced))
	require.NoError(t, err)
	require.Positive(t, traces.SpanCount()+metrics.DataPointCount()+logs.LogRecordCount(), name)
	return Sent{traces, metrics, logs}
}

// Post sends all of it, the spans first, so that an index knows them.
func (s Sent) Post(t *testing.T, c *collectortest.Collector) {
	t.Helper()
	collectortest.PostTraces(t, c, s.Traces)
	collectortest.PostMetrics(t, c, s.Metrics)
	collectortest.PostLogs(t, c, s.Logs)
}

var offset = regexp.MustCompile(`"@-?[0-9]+m?s"`)

// read reads a file with its times made absolute.
func read(t *testing.T, file string, instant time.Time, replaced []string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return []byte("{}")
	}
	require.NoError(t, err)
	text = []byte(strings.NewReplacer(replaced...).Replace(string(text)))
	return offset.ReplaceAllFunc(text, func(quoted []byte) []byte {
		after, err := time.ParseDuration(string(quoted[2 : len(quoted)-1]))
		require.NoError(t, err)
		return strconv.AppendQuote(nil, strconv.FormatInt(instant.Add(after).UnixNano(), 10))
	})
}
