// SPDX-License-Identifier: Apache-2.0

package partialsuccessextension

import (
	"context"
	"reflect"

	"go.opentelemetry.io/collector/extension/extensionmiddleware"
	"google.golang.org/grpc"
)

var _ extensionmiddleware.GRPCClient = (*counter)(nil)

// GetGRPCClientOptions implements extensionmiddleware.GRPCClient.
func (c *counter) GetGRPCClientOptions(context.Context) ([]grpc.DialOption, error) {
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(c.intercept)}, nil
}

func (c *counter) intercept(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	err := invoke(ctx, method, request, reply, conn, options...)
	if err == nil {
		if s, ok := signalOfReply[reflect.TypeOf(reply).String()]; ok {
			c.answered(ctx, conn.Target(), s, rejectedByReply(reply))
		}
	}
	return err
}

// signalOfReply has the names of pdata's response types, whose package is internal.
var signalOfReply = map[string]signal{
	"*internal.ExportTraceServiceResponse":   traces,
	"*internal.ExportMetricsServiceResponse": metrics,
	"*internal.ExportLogsServiceResponse":    logs,
}

// rejectedByReply returns the number in PartialSuccess, whose name differs between the
// responses.
func rejectedByReply(reply any) int64 {
	partial := reflect.ValueOf(reply).Elem().FieldByName("PartialSuccess")
	if !partial.IsValid() {
		return 0
	}
	for _, name := range []string{"RejectedSpans", "RejectedDataPoints", "RejectedLogRecords"} {
		if field := partial.FieldByName(name); field.IsValid() && field.CanInt() {
			return field.Int()
		}
	}
	return 0
}
