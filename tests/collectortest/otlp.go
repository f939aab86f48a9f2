// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"bytes"
	"crypto/rand"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// The statuses of accepted and permanently refused requests.
const (
	Accepted = http.StatusOK
	Refused  = http.StatusBadRequest
)

// PostMetrics sends metrics, and requires that they are accepted.
func PostMetrics(t *testing.T, c *Collector, metrics pmetric.Metrics) {
	t.Helper()
	body, err := pmetricotlp.NewExportRequestFromMetrics(metrics).MarshalProto()
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, Post(t, c, "/v1/metrics", body, ""))
}

// PostTraces sends spans, requires that they are accepted, and returns the response time.
func PostTraces(t *testing.T, c *Collector, traces ptrace.Traces) time.Duration {
	t.Helper()
	body, err := ptraceotlp.NewExportRequestFromTraces(traces).MarshalProto()
	require.NoError(t, err)
	begin := time.Now()
	require.Equal(t, http.StatusOK, Post(t, c, "/v1/traces", body, ""))
	return time.Since(begin)
}

// PostLogs sends log records, and requires that they are accepted.
func PostLogs(t *testing.T, c *Collector, logs plog.Logs) {
	t.Helper()
	body, err := plogotlp.NewExportRequestFromLogs(logs).MarshalProto()
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, Post(t, c, "/v1/logs", body, ""))
}

// ArrivalTimeout is the maximum time from a receiver to an exporter's file or page.
const ArrivalTimeout = 2 * time.Minute

// Post sends a protobuf body to a path of the OTLP/HTTP receiver and returns the status. encoding is the
// content encoding of the body; it may be empty.
func Post(t *testing.T, c *Collector, path string, body []byte, encoding string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+c.HTTP+path, bytes.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-protobuf")
	if encoding != "" {
		request.Header.Set("Content-Encoding", encoding)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	require.NoError(t, err)
	return response.StatusCode
}

// OneSpan returns an encoded export request with one span, which fill completes.
func OneSpan(t *testing.T, fill func(ptrace.Span)) []byte {
	t.Helper()
	traces := ptrace.NewTraces()
	fill(traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty())
	body, err := ptraceotlp.NewExportRequestFromTraces(traces).MarshalProto()
	require.NoError(t, err)
	return body
}

// RequireSpanPasses sends a valid span and waits until it is written. It searches for the trace id as
// text, because the file may have lines that a test cannot parse.
func RequireSpanPasses(t *testing.T, c *Collector) {
	t.Helper()
	var id pcommon.TraceID
	_, err := rand.Read(id[:])
	require.NoError(t, err)
	status := Post(t, c, "/v1/traces", OneSpan(t, func(span ptrace.Span) {
		span.SetTraceID(id)
		span.SetName("PaymentService/Charge")
	}), "")
	require.Equal(t, http.StatusOK, status)
	Eventually(t, ArrivalTimeout, func() (bool, string) {
		content, err := os.ReadFile(filepath.Join(c.DataDir, "traces.json"))
		require.NoError(t, err)
		return bytes.Contains(content, []byte(id.String())), "span of trace " + id.String() + " not written"
	})
}

// SendSpan sends a span of some size and returns the status of the response.
func SendSpan(t *testing.T, c *Collector, name string, bytes int) int {
	t.Helper()
	return Post(t, c, "/v1/traces", OneSpan(t, func(span ptrace.Span) {
		span.SetName(name)
		span.Attributes().PutStr("filler", strings.Repeat("x", bytes))
	}), "")
}

// InFlight returns the bytes of the requests in flight, from the extension's own metric.
func InFlight(t *testing.T, c *Collector) float64 {
	t.Helper()
	return Sum(c.SelfMetrics(t)["otelcol_wire_limits_in_flight"], nil)
}
