// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// gateway accepts all traces, and rejects some spans of each request.
type gateway struct {
	ptraceotlp.UnimplementedGRPCServer
	rejects int64
}

func (g *gateway) Export(context.Context, ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	response := ptraceotlp.NewExportResponse()
	response.PartialSuccess().SetRejectedSpans(g.rejects)
	return response, nil
}

// startGateway returns the address of one.
func startGateway(t *testing.T, rejects int64) string {
	t.Helper()
	_, address := collectortest.ServeGRPC(t, collectortest.AnyAddress, func(server *grpc.Server) { ptraceotlp.RegisterGRPCServer(server, &gateway{rejects: rejects}) })
	return address
}
