// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"context"
	"net"
	"net/http"
	"time"

	_ "go.opentelemetry.io/collector/config/configgrpc" // the compressions that a gateway knows
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

func (s *sink) serveGRPC(listener net.Listener) (stop func()) {
	server := grpc.NewServer(grpc.MaxRecvMsgSize(64 << 20))
	ptraceotlp.RegisterGRPCServer(server, &traceSink{sink: s})
	pmetricotlp.RegisterGRPCServer(server, &metricSink{sink: s})
	plogotlp.RegisterGRPCServer(server, &logSink{sink: s})
	go func() { _ = server.Serve(listener) }() // until it is stopped
	return server.Stop
}

type traceSink struct {
	ptraceotlp.UnimplementedGRPCServer
	*sink
}

func (s *traceSink) Export(ctx context.Context, request ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	return ptraceotlp.NewExportResponse(), s.take(ctx, spanIDs(request.Traces()), (&ptrace.ProtoMarshaler{}).TracesSize(request.Traces())).err()
}

type metricSink struct {
	pmetricotlp.UnimplementedGRPCServer
	*sink
}

func (s *metricSink) Export(ctx context.Context, request pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	return pmetricotlp.NewExportResponse(), s.take(ctx, pointIDs(request.Metrics()), 0).err()
}

type logSink struct {
	plogotlp.UnimplementedGRPCServer
	*sink
}

func (s *logSink) Export(ctx context.Context, request plogotlp.ExportRequest) (plogotlp.ExportResponse, error) {
	return plogotlp.NewExportResponse(), s.take(ctx, recordIDs(request.Logs()), 0).err()
}

var codesOf = map[int]codes.Code{
	0:                                codes.OK,
	http.StatusBadRequest:            codes.InvalidArgument,
	http.StatusUnauthorized:          codes.Unauthenticated,
	http.StatusForbidden:             codes.PermissionDenied,
	http.StatusNotFound:              codes.Unimplemented,
	http.StatusRequestTimeout:        codes.FailedPrecondition,
	http.StatusRequestEntityTooLarge: codes.ResourceExhausted,
	http.StatusUnprocessableEntity:   codes.OutOfRange,
	http.StatusTooManyRequests:       codes.Unavailable,
	http.StatusNotImplemented:        codes.Unknown,
	http.StatusServiceUnavailable:    codes.Unavailable,
}

// err is the answer as gRPC has it.
func (a answer) err() error {
	code, known := codesOf[a.status]
	switch {
	case a.hang:
		code = codes.DeadlineExceeded
	case !known:
		code = codes.Internal
	}
	message := "as the test wants it"
	if code == codes.ResourceExhausted {
		message = "grpc: received message larger than max" // as gRPC says it
	}
	s := status.New(code, message)
	if a.retryAfter > 0 {
		s, _ = s.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(a.retryAfter.Truncate(time.Second))})
	}
	return s.Err()
}
