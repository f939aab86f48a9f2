// SPDX-License-Identifier: Apache-2.0

package send

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

// exportTimeout bounds one export, and so how long a signal may take to end tcgen.
const exportTimeout = 5 * time.Second

// exporter sends over OTLP gRPC. It is safe for concurrent use.
type exporter struct {
	endpoint string
	conn     *grpc.ClientConn
	traces   ptraceotlp.GRPCClient
	metrics  pmetricotlp.GRPCClient
	logs     plogotlp.GRPCClient
}

func newExporter(endpoint string) (*exporter, error) {
	conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, fmt.Errorf("OTLP endpoint %q: %w", endpoint, err)
	}
	return &exporter{
		endpoint: endpoint,
		conn:     conn,
		traces:   ptraceotlp.NewGRPCClient(conn),
		metrics:  pmetricotlp.NewGRPCClient(conn),
		logs:     plogotlp.NewGRPCClient(conn),
	}, nil
}

func (e *exporter) close() { _ = e.conn.Close() }

// export sends a batch; signals the batch has nothing of are left out. What the
// endpoint rejected of otherwise accepted data comes back as text. An export under
// way outlasts ctx, so that the counts stay true when tcgen is told to stop.
func (e *exporter) export(ctx context.Context, b scenario.Batch) (rejected []string, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), exportTimeout)
	defer cancel()
	note := func(signal string, n int64, message string) {
		// A message alone is a warning; a sender of test data had better hear it.
		if n > 0 || message != "" {
			rejected = append(rejected, fmt.Sprintf("%s rejected %d %s: %q", e.endpoint, n, signal, message))
		}
	}
	if b.Traces.SpanCount() > 0 {
		response, err := e.traces.Export(ctx, ptraceotlp.NewExportRequestFromTraces(b.Traces))
		if err != nil {
			return rejected, fmt.Errorf("send traces to %s: %w", e.endpoint, err)
		}
		note("spans", response.PartialSuccess().RejectedSpans(), response.PartialSuccess().ErrorMessage())
	}
	if b.Metrics.DataPointCount() > 0 {
		response, err := e.metrics.Export(ctx, pmetricotlp.NewExportRequestFromMetrics(b.Metrics))
		if err != nil {
			return rejected, fmt.Errorf("send metrics to %s: %w", e.endpoint, err)
		}
		note("data points", response.PartialSuccess().RejectedDataPoints(), response.PartialSuccess().ErrorMessage())
	}
	if b.Logs.LogRecordCount() > 0 {
		response, err := e.logs.Export(ctx, plogotlp.NewExportRequestFromLogs(b.Logs))
		if err != nil {
			return rejected, fmt.Errorf("send logs to %s: %w", e.endpoint, err)
		}
		note("log records", response.PartialSuccess().RejectedLogRecords(), response.PartialSuccess().ErrorMessage())
	}
	return rejected, nil
}
