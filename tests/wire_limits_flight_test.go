package tests

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"google.golang.org/grpc/codes"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// inFlight returns how much the requests in flight take, by the extension's own count.
func inFlight(t *testing.T, c *collectortest.Collector) float64 {
	t.Helper()
	return collectortest.Sum(c.SelfMetrics(t)["otelcol_wire_limits_in_flight"], nil)
}

// What is half in has a share of the memory, and others are told to come again meanwhile.
func TestRequestsInFlightAreLimited(t *testing.T) {
	c := startWithWireLimits(t, "yaml:extensions: {wire_limits: {max_in_flight_mib: 3}}",
		"yaml:receivers: {otlp: {protocols: {http: {read_timeout: 5m}}}}")
	large := oneSpan(t, func(span ptrace.Span) { span.SetName(strings.Repeat("8f3a ", 3*mib/5)) })
	connection, err := net.Dial("tcp", c.HTTP)
	require.NoError(t, err)
	defer connection.Close()
	_, err = fmt.Fprintf(connection, "POST /v1/traces HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n"+
		"Content-Type: application/x-protobuf\r\nContent-Length: %d\r\n\r\n", c.HTTP, len(large))
	require.NoError(t, err)
	_, err = connection.Write(large[:len(large)-mib/2])
	require.NoError(t, err)
	collectortest.Eventually(t, arrivalTimeout, func() (bool, string) { return inFlight(t, c) > 2*mib, "the first request has not come" })

	second := oneSpan(t, func(span ptrace.Span) { span.SetName(strings.Repeat("8f3a ", mib/5)) })
	response, err := http.Post("http://"+c.HTTP+"/v1/traces", "application/x-protobuf", bytes.NewReader(second))
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	assert.Equal(t, "1", response.Header.Get("Retry-After"))
	client := dialRaw(t, c)
	assert.Equal(t, codes.Unavailable, client.exportRaw(t, second))
	assert.Equal(t, 1.0, refusedOnWire(t, c, "max_in_flight_mib", "http"))
	assert.Equal(t, 1.0, refusedOnWire(t, c, "max_in_flight_mib", "grpc"))
	requireSpanPasses(t, c) // it is small

	_, err = connection.Write(large[len(large)-mib/2:])
	require.NoError(t, err)
	answer, err := io.ReadAll(connection)
	require.NoError(t, err)
	assert.True(t, bytes.HasPrefix(answer, []byte("HTTP/1.1 200 ")), "%.100s", answer)
	collectortest.Eventually(t, arrivalTimeout, func() (bool, string) { return inFlight(t, c) == 0, "something is in flight" })
	assert.Equal(t, codes.OK, client.exportRaw(t, second))
	assert.Equal(t, accepted, post(t, c, "/v1/traces", second, ""))
}
