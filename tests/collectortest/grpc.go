// SPDX-License-Identifier: Apache-2.0

package collectortest

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip" // default compression of exporters
)

// AnyAddress lets the operating system choose the port of a server.
const AnyAddress = "127.0.0.1:0"

// TakeSpans takes a request, and returns how many of its spans the backend rejects.
type TakeSpans func(ctx context.Context, traces ptrace.Traces) (rejected int64, err error)

// Rejecting takes requests, and rejects a number of spans of each.
func Rejecting(spans int64) TakeSpans {
	return func(context.Context, ptrace.Traces) (int64, error) { return spans, nil }
}

// ServeGRPC runs a server until the test ends or stops it, and returns its address.
func ServeGRPC(t *testing.T, register func(*grpc.Server)) (server *grpc.Server, address string) {
	t.Helper()
	listener, err := net.Listen("tcp", AnyAddress)
	require.NoError(t, err)
	server = grpc.NewServer()
	register(server)
	go server.Serve(listener) //nolint:errcheck // it ends with Stop
	t.Cleanup(server.Stop)
	return server, listener.Addr().String()
}

// ServeSpans runs a backend for spans over gRPC until the test ends, and returns its address.
func ServeSpans(t *testing.T, take TakeSpans) string {
	t.Helper()
	_, address := ServeGRPC(t, func(g *grpc.Server) { ptraceotlp.RegisterGRPCServer(g, &spanServer{take: take}) })
	return address
}

type spanServer struct {
	ptraceotlp.UnimplementedGRPCServer
	take TakeSpans
}

func (s *spanServer) Export(ctx context.Context, request ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	response := ptraceotlp.NewExportResponse()
	rejected, err := s.take(ctx, request.Traces())
	response.PartialSuccess().SetRejectedSpans(rejected)
	return response, err
}
