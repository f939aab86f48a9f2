// SPDX-License-Identifier: Apache-2.0

package security

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
