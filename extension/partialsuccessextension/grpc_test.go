// SPDX-License-Identifier: Apache-2.0

package partialsuccessextension

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/otelcol-tc/otelcol-tc/tests/owntelemetry"
)

// The names of pdata's responses and of their fields are found by reflection. This test calls
// with pdata's clients, which the stock exporter uses.
func TestGRPC(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer()
	ptraceotlp.RegisterGRPCServer(server, tracesBackend{})
	pmetricotlp.RegisterGRPCServer(server, metricsBackend{})
	plogotlp.RegisterGRPCServer(server, logsBackend{})
	go func() { _ = server.Serve(listener) }() // until it is stopped
	t.Cleanup(server.Stop)

	c, telemetry := newTestCounter(t)
	options, err := c.GetGRPCClientOptions(t.Context())
	require.NoError(t, err)
	target := listener.Addr().String()
	conn, err := grpc.NewClient(target, append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })

	for range 2 {
		_, err = ptraceotlp.NewGRPCClient(conn).Export(t.Context(), ptraceotlp.NewExportRequestFromTraces(ptrace.NewTraces()))
		require.NoError(t, err)
		_, err = pmetricotlp.NewGRPCClient(conn).Export(t.Context(), pmetricotlp.NewExportRequestFromMetrics(pmetric.NewMetrics()))
		require.NoError(t, err)
		_, err = plogotlp.NewGRPCClient(conn).Export(t.Context(), plogotlp.NewExportRequestFromLogs(plog.NewLogs()))
		require.NoError(t, err)
	}
	for signal, want := range map[string]int64{"traces": 2, "metrics": 4, "logs": 6} {
		assert.Equal(t, want, owntelemetry.Sum(telemetry, rejectedItems, "endpoint", target, "signal", signal), signal)
	}
}

type tracesBackend struct {
	*ptraceotlp.UnimplementedGRPCServer
}

func (tracesBackend) Export(context.Context, ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	response := ptraceotlp.NewExportResponse()
	response.PartialSuccess().SetRejectedSpans(1)
	return response, nil
}

type metricsBackend struct {
	*pmetricotlp.UnimplementedGRPCServer
}

func (metricsBackend) Export(context.Context, pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	response := pmetricotlp.NewExportResponse()
	response.PartialSuccess().SetRejectedDataPoints(2)
	return response, nil
}

type logsBackend struct {
	*plogotlp.UnimplementedGRPCServer
}

func (logsBackend) Export(context.Context, plogotlp.ExportRequest) (plogotlp.ExportResponse, error) {
	response := plogotlp.NewExportResponse()
	response.PartialSuccess().SetRejectedLogRecords(3)
	return response, nil
}
