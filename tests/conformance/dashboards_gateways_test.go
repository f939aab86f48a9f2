// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// gateway answers all traces with the same code.
type gateway struct {
	ptraceotlp.UnimplementedGRPCServer
	code codes.Code
}

func (g *gateway) Export(context.Context, ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	return ptraceotlp.NewExportResponse(), status.Error(g.code, "as the test has it")
}

// startGateway returns the address of one.
func startGateway(t *testing.T, code codes.Code) string {
	t.Helper()
	_, address := collectortest.ServeGRPC(t, collectortest.AnyAddress, func(server *grpc.Server) { ptraceotlp.RegisterGRPCServer(server, &gateway{code: code}) })
	return address
}
