// SPDX-License-Identifier: Apache-2.0

package security

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// Without the extension the process would be killed after 15 s.
func TestEndsWhileCallsNeverEnd(t *testing.T) {
	c := startWithWireLimits(t, collectortest.ReadTimeout)
	client := collectortest.DialRaw(t, c)
	stream, err := client.Connection.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true}, collectortest.ExportMethod)
	require.NoError(t, err)
	silent, err := net.Dial("tcp", c.GRPC)
	require.NoError(t, err)
	defer silent.Close()
	// On the connection of the call, so that the server knows it by then.
	require.Equal(t, codes.OK, client.ExportRaw(t, payload.NestedValues(1)))
	exit := c.Stop(t)
	assert.Zero(t, exit.Code)
	collectortest.Within(t, exit.Took, 10*time.Second)
	assert.Error(t, stream.RecvMsg(new([]byte)))
}

// slowBackend takes longer for a request than one may take to come.
type slowBackend struct {
	ptraceotlp.UnimplementedGRPCServer
}

func (*slowBackend) Export(ctx context.Context, _ ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	select {
	case <-ctx.Done():
		return ptraceotlp.NewExportResponse(), ctx.Err()
	case <-time.After(3 * time.Second):
		return ptraceotlp.NewExportResponse(), nil
	}
}

func TestSlowProcessingIsNotCut(t *testing.T) {
	_, backend := collectortest.ServeGRPC(t, collectortest.AnyAddress, func(server *grpc.Server) { ptraceotlp.RegisterGRPCServer(server, &slowBackend{}) })

	// The client waits for the backend, since nothing lies between.
	c := startWithWireLimits(t, collectortest.ReadTimeout, fmt.Sprintf(`yaml:{
  exporters: {otlp_grpc: {endpoint: %q, tls: {insecure: true}, timeout: 1m, retry_on_failure: {enabled: false}, sending_queue: {enabled: false}}},
  service: {pipelines: {traces: {exporters: [otlp_grpc, conformance, forward/spans, signal_to_metrics/genai]}}}}`, backend))
	begin := time.Now()
	assert.Equal(t, codes.OK, collectortest.DialRaw(t, c).ExportRaw(t, collectortest.OneSpan(t, func(span ptrace.Span) { span.SetName("Store/Put") })))
	assert.GreaterOrEqual(t, time.Since(begin), 3*time.Second)
	assert.Zero(t, refusedOnWire(t, c, "read_timeout", "grpc"))
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) { return collectortest.InFlight(t, c) == 0, "something is in flight" })
}
