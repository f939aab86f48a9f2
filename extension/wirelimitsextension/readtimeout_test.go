// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

const shortly = 500 * time.Millisecond

func TestCallsThatNeverEnd(t *testing.T) {
	r := newRig(t, func(c *Config) { c.ReadTimeout = shortly })
	connection := dial(t, r.grpc)
	f := func(method string, want codes.Code) {
		t.Helper()
		stream, err := connection.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true}, method)
		require.NoError(t, err)
		assert.Equal(t, want, status.Code(stream.RecvMsg(new(any))))
	}
	f("/nobody/Knows", codes.Unimplemented)
	f(exportTraces, codes.Canceled)
	assert.Equal(t, map[string]int64{"read_timeout grpc": 1}, r.refused(t))
	require.Equal(t, 1, r.logged.Len())
	assert.Equal(t, "read_timeout: a request must be received completely within 500ms", r.logged.All()[0].ContextMap()["reason"])
}

// A connection without HTTP/2 would also block the server's shutdown.
func TestSilentConnections(t *testing.T) {
	r := newRig(t, func(c *Config) { c.ReadTimeout = shortly })
	connection, err := net.Dial("tcp", r.grpc)
	require.NoError(t, err)
	defer connection.Close()
	require.NoError(t, connection.SetReadDeadline(time.Now().Add(30*time.Second)))
	_, err = io.Copy(io.Discard, connection)
	assert.NoError(t, err, "the server closes it")
}

// thorough takes longer than the read timeout.
type thorough struct {
	ptraceotlp.UnimplementedGRPCServer
}

func (*thorough) Export(ctx context.Context, _ ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	select {
	case <-ctx.Done():
		return ptraceotlp.NewExportResponse(), ctx.Err()
	case <-time.After(3 * shortly):
		return ptraceotlp.NewExportResponse(), nil
	}
}

func TestProcessingIsNotCut(t *testing.T) {
	m := created(t, func(c *Config) { c.ReadTimeout = shortly })
	connection := dial(t, serve(t, newCodec(m), &thorough{}))
	assert.NoError(t, export(t.Context(), connection, requests(1, 0)[0]))
	collectortest.Eventually(t, 10*time.Second, func() (bool, string) { return m.inFlight.total() == 0, "it is still in flight" })
}

// A client whose body arrives too slowly is told to retry, with any compression.
func TestSlowBodies(t *testing.T) {
	r := newRig(t, func(*Config) {})
	body := requests(1000, 0)[0].body(t, false)
	for _, compression := range []string{"", "gzip"} {
		sent := compress(t, compression, body)
		connection, err := net.Dial("tcp", r.http)
		require.NoError(t, err)
		defer connection.Close()
		_, err = fmt.Fprintf(connection, "POST /v1/traces HTTP/1.1\r\nHost: collector\r\nContent-Type: %s\r\n"+
			"Content-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", protobuf, compression, len(sent), sent[:len(sent)/2])
		require.NoError(t, err)
		require.NoError(t, connection.SetReadDeadline(time.Now().Add(30*time.Second)))
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		require.NoError(t, err)
		answer, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, http.StatusServiceUnavailable, response.StatusCode, compression)
		assert.Equal(t, "1", response.Header.Get("Retry-After"))
		assert.Contains(t, string(answer), "read_timeout: the body was not received in time")
	}
	assert.Equal(t, map[string]int64{"read_timeout http": 2}, r.refused(t))
	assert.Zero(t, r.inFlight(t))
	assert.Empty(t, r.traces.AllTraces())
}
