package wirelimitsextension

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// acceptAll is a service that counts what comes to it.
type acceptAll struct {
	ptraceotlp.UnimplementedGRPCServer
	calls int
}

func (a *acceptAll) Export(context.Context, ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	a.calls++
	return ptraceotlp.NewExportResponse(), nil
}

// Authentication comes before us in the chain: what it refuses must leave nothing behind.
func TestRefusedBySomebodyElse(t *testing.T) {
	extension, err := NewFactory().Create(t.Context(), extensiontest.NewNopSettings(NewFactory().Type()), createDefaultConfig())
	require.NoError(t, err)
	m := extension.(*middleware)
	c := newCodec(m.limits)
	deny := func(context.Context, any, *grpc.UnaryServerInfo, grpc.UnaryHandler) (any, error) {
		return nil, status.Error(codes.Unauthenticated, "who are you")
	}
	server := grpc.NewServer(append([]grpc.ServerOption{grpc.ChainUnaryInterceptor(deny)}, m.serverOptions(c)...)...)
	service := &acceptAll{}
	ptraceotlp.RegisterGRPCServer(server, service)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go server.Serve(listener) //nolint:errcheck // it ends with Stop
	defer server.Stop()

	connection, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer connection.Close()
	for _, r := range []request{requests(1, 200)[0], requests(1, 1)[0]} {
		assert.Equal(t, codes.Unauthenticated, status.Code(export(t.Context(), connection, r)))
	}
	assert.Zero(t, service.calls)
	c.refused.Range(func(request, _ any) bool {
		assert.Fail(t, "left behind", "%T", request)
		return true
	})
}
