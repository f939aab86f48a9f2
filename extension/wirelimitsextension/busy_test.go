// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"bytes"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// A partly received request takes memory, and other requests are told to retry.
func TestInFlight(t *testing.T) {
	r := newRig(t, func(c *Config) { c.MaxInFlightMib = 1 })
	large := requests(20_000, 0)[0].body(t, false) // 4 MiB once decoded
	reader, writer := io.Pipe()
	defer writer.Close() // otherwise the receiver would wait for the rest
	first := make(chan int, 1)
	go func() {
		response, err := http.Post("http://"+r.http+"/v1/traces", protobuf, reader)
		if !assert.NoError(t, err) {
			first <- 0
			return
		}
		_ = response.Body.Close()
		first <- response.StatusCode
	}()
	_, err := io.Copy(writer, bytes.NewReader(large[:len(large)/2]))
	require.NoError(t, err)
	collectortest.Eventually(t, 10*time.Second, func() (bool, string) { return r.inFlight(t) > 1<<20, "the half has not come" })

	connection := dial(t, r.grpc)
	small := requests(1, 0)[0]
	err = export(t.Context(), connection, small)
	const told = "max_in_flight_mib: requests must not take more than 1 MiB together"
	assert.Equal(t, codes.Unavailable, status.Code(err))
	assert.Equal(t, told, status.Convert(err).Message())
	require.Len(t, status.Convert(err).Details(), 1)
	assert.Equal(t, time.Second, status.Convert(err).Details()[0].(*errdetails.RetryInfo).GetRetryDelay().AsDuration())
	for _, contentType := range []string{protobuf, jsonType} {
		response, err := http.Post("http://"+r.http+"/v1/traces", contentType, bytes.NewReader(small.body(t, contentType == jsonType)))
		require.NoError(t, err)
		answer, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
		assert.Equal(t, "1", response.Header.Get("Retry-After"))
		assert.Contains(t, string(answer), told)
	}
	assert.Equal(t, map[string]int64{"max_in_flight_mib grpc": 1, "max_in_flight_mib http": 2}, r.refused(t))

	// The first request is not refused because of the memory that the refused ones would have
	// taken.
	_, err = writer.Write(large[len(large)/2:])
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	assert.Equal(t, http.StatusOK, <-first)
	collectortest.Eventually(t, 10*time.Second, func() (bool, string) { return r.inFlight(t) == 0, "it is still in flight" })
	assert.NoError(t, export(t.Context(), connection, small))
	assert.Len(t, r.traces.AllTraces(), 2)
}
