package tests

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// rawClient sends over gRPC what no library would write.
type rawClient struct{ connection *grpc.ClientConn }

func dialRaw(t *testing.T, c *collectortest.Collector, options ...grpc.DialOption) rawClient {
	t.Helper()
	connection, err := grpc.NewClient(c.GRPC, append(options, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(rawCodec{})))...)
	require.NoError(t, err)
	t.Cleanup(func() { connection.Close() })
	return rawClient{connection}
}

// exportRaw sends an export request of traces.
func (r rawClient) exportRaw(t *testing.T, body []byte) codes.Code {
	t.Helper()
	var answer []byte
	return status.Code(r.connection.Invoke(t.Context(), exportMethod, &body, &answer))
}

// rawCodec takes messages as the bytes that they are.
type rawCodec struct{}

func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}

func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

func (rawCodec) Name() string { return proto.Name }
