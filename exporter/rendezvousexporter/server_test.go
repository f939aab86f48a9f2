// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip" // the exporter's default compression
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// server is a gateway on this machine.
type server struct {
	ptraceotlp.UnimplementedGRPCServer
	address string
	grpc    *grpc.Server
	// answer decides about each batch. nil accepts all.
	answer func(context.Context) (ptraceotlp.ExportResponse, error)

	mu    sync.Mutex
	names []string // names of the accepted spans
	tries int
}

func startServer(t *testing.T, answer func(context.Context) (ptraceotlp.ExportResponse, error)) *server {
	t.Helper()
	s := &server{answer: answer}
	s.grpc, s.address = collectortest.ServeGRPC(t, collectortest.AnyAddress, func(g *grpc.Server) {
		ptraceotlp.RegisterGRPCServer(g, s)
		plogotlp.RegisterGRPCServer(g, &logServer{})
		pmetricotlp.RegisterGRPCServer(g, &metricServer{})
	})
	return s
}

func (s *server) Export(ctx context.Context, request ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	response, err := ptraceotlp.NewExportResponse(), error(nil)
	if s.answer != nil {
		response, err = s.answer(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries++
	if err == nil {
		s.names = append(s.names, spanNames(spansOf(request.Traces()))...)
	}
	return response, err
}

func (s *server) took() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.names...)
}

func (s *server) tried() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tries
}

// silent accepts the first batch, so that there is a connection, and does not answer later ones until the
// test ends. It ignores the caller's deadline, because gRPC would answer at about that time.
func silent(t *testing.T) func(context.Context) (ptraceotlp.ExportResponse, error) {
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	var came atomic.Bool
	return func(context.Context) (ptraceotlp.ExportResponse, error) {
		if came.Swap(true) {
			<-ended
		}
		return ptraceotlp.NewExportResponse(), nil
	}
}

func failing(code codes.Code, details ...*errdetails.RetryInfo) func(context.Context) (ptraceotlp.ExportResponse, error) {
	s := status.New(code, "no")
	for _, detail := range details {
		s, _ = s.WithDetails(detail)
	}
	return func(context.Context) (ptraceotlp.ExportResponse, error) {
		return ptraceotlp.NewExportResponse(), s.Err()
	}
}

func retryIn(seconds int64) *errdetails.RetryInfo {
	return &errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Seconds: seconds}}
}

// logServer and metricServer reject one item of each batch.
type logServer struct {
	plogotlp.UnimplementedGRPCServer
}

func (*logServer) Export(context.Context, plogotlp.ExportRequest) (plogotlp.ExportResponse, error) {
	response := plogotlp.NewExportResponse()
	response.PartialSuccess().SetRejectedLogRecords(1)
	response.PartialSuccess().SetErrorMessage("a log")
	return response, nil
}

type metricServer struct {
	pmetricotlp.UnimplementedGRPCServer
}

func (*metricServer) Export(context.Context, pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	response := pmetricotlp.NewExportResponse()
	response.PartialSuccess().SetRejectedDataPoints(1)
	response.PartialSuccess().SetErrorMessage("a point")
	return response, nil
}
