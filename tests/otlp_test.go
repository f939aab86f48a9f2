// Package tests looks at the built binary from outside: it starts it with
// builtin:dev, sends data over the wire, and reads its files and pages.
package tests

import (
	"bytes"
	"crypto/rand"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// arrivalTimeout bounds the way from a receiver to an exporter's file or page.
const arrivalTimeout = 15 * time.Second

// post sends a protobuf body to a path of the OTLP/HTTP receiver and returns the
// status. An encoding says how the body is compressed, "" that it is not.
func post(t *testing.T, c *collectortest.Collector, path string, body []byte, encoding string) int {
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

// oneSpan returns an export request of one span that fill completes.
func oneSpan(t *testing.T, fill func(ptrace.Span)) []byte {
	t.Helper()
	traces := ptrace.NewTraces()
	fill(traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty())
	body, err := ptraceotlp.NewExportRequestFromTraces(traces).MarshalProto()
	require.NoError(t, err)
	return body
}

// requireSpanPasses sends a good span and waits until it is written. Its trace
// id is looked for in the text, which may hold lines that no test can parse.
func requireSpanPasses(t *testing.T, c *collectortest.Collector) {
	t.Helper()
	var id pcommon.TraceID
	_, err := rand.Read(id[:])
	require.NoError(t, err)
	status := post(t, c, "/v1/traces", oneSpan(t, func(span ptrace.Span) {
		span.SetTraceID(id)
		span.SetName("PaymentService/Charge")
	}), "")
	require.Equal(t, http.StatusOK, status)
	collectortest.Eventually(t, arrivalTimeout, func() (bool, string) {
		content, err := os.ReadFile(filepath.Join(c.DataDir, "traces.json"))
		require.NoError(t, err)
		return bytes.Contains(content, []byte(id.String())), "span of trace " + id.String() + " not written"
	})
}
