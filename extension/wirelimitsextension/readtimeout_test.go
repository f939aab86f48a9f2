package wirelimitsextension

import (
	"context"
	"io"
	"net"
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
	assert.Equal(t, "read_timeout: a request must have come whole after 500ms", r.logged.All()[0].ContextMap()["reason"])
}

// A connection on which nobody speaks HTTP/2 would hold the end of the server as well.
func TestConnectionsThatSayNothing(t *testing.T) {
	r := newRig(t, func(c *Config) { c.ReadTimeout = shortly })
	connection, err := net.Dial("tcp", r.grpc)
	require.NoError(t, err)
	defer connection.Close()
	require.NoError(t, connection.SetReadDeadline(time.Now().Add(30*time.Second)))
	_, err = io.Copy(io.Discard, connection)
	assert.NoError(t, err, "the server closes it")
}

// thorough takes longer than a request may take to come.
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
