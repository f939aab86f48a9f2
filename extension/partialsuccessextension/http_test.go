// SPDX-License-Identifier: Apache-2.0

package partialsuccessextension

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/otelcol-tc/otelcol-tc/tests/owntelemetry"
)

const rejectedItems = "otelcol_partial_success_rejected_items"

func newTestCounter(t *testing.T) (*counter, *componenttest.Telemetry) {
	t.Helper()
	telemetry := componenttest.NewTelemetry()
	t.Cleanup(func() { require.NoError(t, telemetry.Shutdown(context.WithoutCancel(t.Context()))) })
	set := extensiontest.NewNopSettings(NewFactory().Type())
	set.TelemetrySettings = telemetry.NewTelemetrySettings()
	c, err := NewFactory().Create(t.Context(), set, createDefaultConfig())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Shutdown(context.WithoutCancel(t.Context()))) })
	return c.(*counter), telemetry
}

// rejectedSpans is a response to traces.
func rejectedSpans(t *testing.T, n int64) string {
	t.Helper()
	response := ptraceotlp.NewExportResponse()
	response.PartialSuccess().SetRejectedSpans(n)
	response.PartialSuccess().SetErrorMessage("too old")
	body, err := response.MarshalProto()
	require.NoError(t, err)
	return string(body)
}

func TestHTTP(t *testing.T) {
	const protobuf = "application/x-protobuf"
	f := func(name, path string, status int, contentType, body string, want int64) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			c, telemetry := newTestCounter(t)
			wrap, err := c.GetHTTPRoundTripper(t.Context())
			require.NoError(t, err)
			transport, err := wrap(t.Context(), roundTripper(func(*http.Request) (*http.Response, error) {
				return &http.Response{
					StatusCode: status,
					Header:     http.Header{"Content-Type": {contentType}},
					Body:       io.NopCloser(iotest.OneByteReader(strings.NewReader(body))),
				}, nil
			}))
			require.NoError(t, err)
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://backend:4318"+path, http.NoBody)
			require.NoError(t, err)
			response, err := transport.RoundTrip(request)
			require.NoError(t, err)
			// The exporter reads what the backend wrote.
			read, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			assert.Equal(t, body, string(read))
			assert.Equal(t, want, owntelemetry.Sum(telemetry, rejectedItems, "endpoint", "backend:4318"))
		})
	}
	f("all accepted", "/v1/traces", 200, protobuf, "", 0)
	f("rejected", "/v1/traces", 200, protobuf, rejectedSpans(t, 7), 7)
	f("rejected, by a path before it", "/otlp/v1/traces", 202, protobuf, rejectedSpans(t, 7), 7)
	f("rejected, in JSON", "/v1/metrics", 200, "application/json; charset=utf-8", `{"partialSuccess":{"rejectedDataPoints":"5"}}`, 5)
	f("a warning", "/v1/logs", 200, "application/json", `{"partialSuccess":{"errorMessage":"soon too old"}}`, 0)
	f("a number that is not allowed", "/v1/traces", 200, protobuf, rejectedSpans(t, -7), 0)
	f("not of OTLP", "/v1/traces", 200, "text/html", "<html>", 0)
	f("damaged", "/v1/traces", 200, protobuf, "\xff\xff\xff", 0)
	f("damaged JSON", "/v1/logs", 200, "application/json", `{"partialSuccess":`, 0)
	f("refused as a whole", "/v1/traces", 400, protobuf, rejectedSpans(t, 7), 0)
	f("longer than is read", "/v1/logs", 200, "application/json", `{"x":"`+strings.Repeat("x", maxResponse)+`"}`, 0)
}

func TestHTTPErrorsOfTheBodyReachTheExporter(t *testing.T) {
	c, _ := newTestCounter(t)
	broken := errors.New("connection reset")
	response := &http.Response{Body: io.NopCloser(io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(broken)))}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://backend/v1/traces", http.NoBody)
	require.NoError(t, err)
	c.read(request, response)
	read, err := io.ReadAll(response.Body)
	assert.Equal(t, "ab", string(read))
	assert.Equal(t, broken, err)
}

func FuzzResponse(f *testing.F) {
	response := pmetricotlp.NewExportResponse()
	response.PartialSuccess().SetRejectedDataPoints(3)
	proto, err := response.MarshalProto()
	require.NoError(f, err)
	json, err := response.MarshalJSON()
	require.NoError(f, err)
	f.Add("application/x-protobuf", proto)
	f.Add("application/json", json)
	f.Fuzz(func(_ *testing.T, contentType string, body []byte) {
		for _, s := range []signal{traces, metrics, logs} {
			rejected(s, contentType, body)
		}
	})
}
