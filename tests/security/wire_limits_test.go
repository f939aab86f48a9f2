// SPDX-License-Identifier: Apache-2.0

package security

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"google.golang.org/grpc/codes"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// startWithWireLimits runs builtin:dev, which has the extension, with a configuration over it.
func startWithWireLimits(t *testing.T, over ...string) *collectortest.Collector {
	t.Helper()
	return collectortest.Start(t, collectortest.Options{Configs: append([]string{"builtin:dev"}, over...)})
}

// refusedOnWire returns how many requests the extension counts as refused.
func refusedOnWire(t *testing.T, c *collectortest.Collector, rule, transport string) float64 {
	t.Helper()
	return collectortest.Sum(c.SelfMetrics(t)["otelcol_wire_limits_refused_requests"],
		map[string]string{"rule": rule, "transport": transport})
}

func TestDeepNestingIsRefused(t *testing.T) {
	c := startWithWireLimits(t)
	c.ResetPeakRSS(t)
	client := collectortest.DialRaw(t, c)
	f := func(depth int) {
		t.Helper()
		body, inJSON := payload.NestedValues(depth), nestedValuesInJSON(depth)
		assert.Equal(t, collectortest.Refused, collectortest.Post(t, c, "/v1/traces", body, ""))
		assert.Equal(t, collectortest.Refused, postJSON(t, c, inJSON))
		assert.Equal(t, codes.InvalidArgument, client.ExportRaw(t, body))
		collectortest.RequireSpanPasses(t, c)
	}
	f(50)
	f(20_000)
	assert.Equal(t, 4.0, refusedOnWire(t, c, "max_depth", "http"))
	assert.Equal(t, 2.0, refusedOnWire(t, c, "max_depth", "grpc"))
	assert.Equal(t, 1, strings.Count(c.Logs(), "A request was refused."), "the others only count")

	// What people nest passes.
	assert.Equal(t, collectortest.Accepted, collectortest.Post(t, c, "/v1/traces", payload.NestedValues(43), ""))
	assert.Equal(t, collectortest.Accepted, postJSON(t, c, nestedValuesInJSON(43)))
	assert.Equal(t, codes.OK, client.ExportRaw(t, payload.NestedValues(43)))
	c.PeakRSSWithin(t, collectortest.MemoryBound)
	assert.Equal(t, 0, c.Stop(t).Code)
}

// Two million spans fit 4 MiB. Without the extension one such request takes up to 2 GiB.
func TestEmptySpansAreRefused(t *testing.T) {
	const spans = 2_000_000
	c := startWithWireLimits(t)
	c.ResetPeakRSS(t)
	client := collectortest.DialRaw(t, c)
	body := emptySpans(spans)
	require.Less(t, len(body), 4*collectortest.MiB)
	zipped := zip(t, body)
	hostile := []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Repeat("1,", spans))
	requests := []func(){
		func() { assert.Equal(t, collectortest.Refused, postAs(t, c, "application/x-protobuf", "", body)) },
		func() { assert.Equal(t, collectortest.Refused, postAs(t, c, "application/x-protobuf", "gzip", zipped)) },
		func() { assert.Equal(t, collectortest.Refused, postJSON(t, c, hostile)) },
		func() { assert.Equal(t, codes.InvalidArgument, client.ExportRaw(t, body)) },
	}
	const rounds = 5
	for range rounds {
		var all sync.WaitGroup
		for _, request := range requests {
			all.Go(request)
		}
		all.Wait()
	}
	collectortest.RequireSpanPasses(t, c)
	assert.Equal(t, 3.0*rounds, refusedOnWire(t, c, "max_decoded_mib", "http"))
	assert.Equal(t, 1.0*rounds, refusedOnWire(t, c, "max_decoded_mib", "grpc"))
	c.PeakRSSWithin(t, collectortest.MemoryBound)
	assert.Equal(t, 0, c.Stop(t).Code)
}

// emptySpans returns an export request of spans that say nothing, of two bytes each.
func emptySpans(n int) []byte {
	var b payload.Backwards
	for range n {
		b.Prepend(payload.TagSpans, 0)
	}
	b.Wrap(payload.TagScopeSpans)
	b.Wrap(payload.TagResourceSpans)
	slices.Reverse(b)
	return b
}

// nestedValuesInJSON is nestedValues in JSON.
func nestedValuesInJSON(depth int) []byte {
	return fmt.Appendf(nil, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"k","value":%s{"stringValue":"x"}%s}]}]}]}]}`,
		strings.Repeat(`{"arrayValue":{"values":[`, depth), strings.Repeat(`]}}`, depth))
}

func zip(t *testing.T, content []byte) []byte {
	t.Helper()
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err := w.Write(content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return zipped.Bytes()
}

func postJSON(t *testing.T, c *collectortest.Collector, body []byte) int {
	t.Helper()
	return postAs(t, c, "application/json", "", body)
}

// postAs may be called by any goroutine of the test.
func postAs(t *testing.T, c *collectortest.Collector, contentType, encoding string, body []byte) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+c.HTTP+"/v1/traces", bytes.NewReader(body))
	if !assert.NoError(t, err) {
		return 0
	}
	request.Header.Set("Content-Type", contentType)
	if encoding != "" {
		request.Header.Set("Content-Encoding", encoding)
	}
	response, err := http.DefaultClient.Do(request)
	if !assert.NoError(t, err) {
		return 0
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	assert.NoError(t, err)
	return response.StatusCode
}

// What is half in has a share of the memory, and others are told to come again meanwhile.
func TestRequestsInFlightAreLimited(t *testing.T) {
	c := startWithWireLimits(t, "yaml:extensions: {wire_limits: {max_in_flight_mib: 3}}",
		"yaml:receivers: {otlp: {protocols: {http: {read_timeout: 5m}}}}")
	large := collectortest.OneSpan(t, func(span ptrace.Span) { span.SetName(strings.Repeat("8f3a ", 3*collectortest.MiB/5)) })
	connection, err := net.Dial("tcp", c.HTTP)
	require.NoError(t, err)
	defer connection.Close()
	_, err = fmt.Fprintf(connection, "POST /v1/traces HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n"+
		"Content-Type: application/x-protobuf\r\nContent-Length: %d\r\n\r\n", c.HTTP, len(large))
	require.NoError(t, err)
	_, err = connection.Write(large[:len(large)-collectortest.MiB/2])
	require.NoError(t, err)
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		return collectortest.InFlight(t, c) > 2*collectortest.MiB, "the first request has not come"
	})

	second := collectortest.OneSpan(t, func(span ptrace.Span) { span.SetName(strings.Repeat("8f3a ", collectortest.MiB/5)) })
	response, err := http.Post("http://"+c.HTTP+"/v1/traces", "application/x-protobuf", bytes.NewReader(second))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	assert.Equal(t, "1", response.Header.Get("Retry-After"))
	client := collectortest.DialRaw(t, c)
	assert.Equal(t, codes.Unavailable, client.ExportRaw(t, second))
	assert.Equal(t, 1.0, refusedOnWire(t, c, "max_in_flight_mib", "http"))
	assert.Equal(t, 1.0, refusedOnWire(t, c, "max_in_flight_mib", "grpc"))
	collectortest.RequireSpanPasses(t, c) // it is small

	_, err = connection.Write(large[len(large)-collectortest.MiB/2:])
	require.NoError(t, err)
	answer, err := io.ReadAll(connection)
	require.NoError(t, err)
	assert.True(t, bytes.HasPrefix(answer, []byte("HTTP/1.1 200 ")), "%.100s", answer)
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) { return collectortest.InFlight(t, c) == 0, "something is in flight" })
	assert.Equal(t, codes.OK, client.ExportRaw(t, second))
	assert.Equal(t, collectortest.Accepted, collectortest.Post(t, c, "/v1/traces", second, ""))
}

// A request may take longer than it may take to come.
func TestSlowProcessingIsNotCut(t *testing.T) {
	backend := collectortest.ServeSpans(t, func(context.Context, ptrace.Traces) (rejected int64, err error) {
		time.Sleep(3 * time.Second)
		return 0, nil
	})
	// The client waits for the backend, since nothing lies between.
	c := startWithWireLimits(t, collectortest.ReadTimeout, fmt.Sprintf(`yaml:{
  exporters: {otlp_grpc: {endpoint: %q, tls: {insecure: true}, timeout: 1m, retry_on_failure: {enabled: false}, sending_queue: {enabled: false}}},
  service: {pipelines: {traces: {exporters: [otlp_grpc, conformance, forward/spans, signal_to_metrics/genai]}}}}`, backend))
	begin := time.Now()
	assert.Equal(t, codes.OK, collectortest.DialRaw(t, c).ExportRaw(t, collectortest.OneSpan(t, func(span ptrace.Span) { span.SetName("Store/Put") })))
	assert.GreaterOrEqual(t, time.Since(begin), 3*time.Second)
	assert.Zero(t, refusedOnWire(t, c, "read_timeout", "grpc"))
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) { return collectortest.InFlight(t, c) == 0, "something is in flight" })
}
