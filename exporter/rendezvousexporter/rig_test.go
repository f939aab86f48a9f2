// SPDX-License-Identifier: Apache-2.0

package rendezvousexporter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip" // the exporter's default compression
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/choice"
	"github.com/otelcol-tc/otelcol-tc/exporter/rendezvousexporter/internal/health"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

func endpointsOf(names []string) (all []*endpoint[ptrace.Traces]) {
	for _, name := range names {
		all = append(all, &endpoint[ptrace.Traces]{name: name, seed: choice.Seed(name)})
	}
	return all
}

func names(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("gateway-%d.gateway:4317", i))
	}
	return all
}

// own returns the own endpoint of a trace.
func own(id pcommon.TraceID, names []string) string {
	c := newChoice(endpointsOf(names), slices.Repeat([]bool{true}, len(names)))
	c.Add(choice.TraceKey(id), 1)
	return names[c.Units[0]]
}

// gateway is a fake client with the replies that a test sets.
type gateway struct {
	answer func() health.Reply
	dials  bool // it has no connection yet

	mu    sync.Mutex
	took  []ptrace.Span
	tries int // batches received, accepted or not
}

func (g *gateway) send(_ context.Context, batch ptrace.Traces) health.Reply {
	r := health.Reply{Verdict: health.Accepted, Answered: true}
	if g.answer != nil {
		r = g.answer()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tries++
	if r.Verdict == health.Accepted {
		g.took = append(g.took, spansOf(batch)...)
	}
	return r
}

func (*gateway) close() error { return nil }

func (g *gateway) connecting() bool { return g.dials }

func (g *gateway) names() []string { return spanNames(g.took) }

func always(v health.Verdict) func() health.Reply {
	return func() health.Reply { return replyOf(v) }
}

func replyOf(v health.Verdict) health.Reply {
	r := health.Reply{Verdict: v, Reason: "reason", Answered: v == health.Accepted || v == health.Refused || v == health.Busy}
	if v != health.Accepted {
		r.Err = errors.New(r.Reason)
	}
	return r
}

// rig is a set of gateways and the recorded outcomes of deliveries.
type rig struct {
	endpoints []*endpoint[ptrace.Traces]
	gateways  []*gateway

	failed, failover int
	gone, back       []string
}

func newRig(n int) *rig {
	r := &rig{endpoints: endpointsOf(names(n))}
	for _, e := range r.endpoints {
		g := &gateway{}
		e.client = g
		r.gateways = append(r.gateways, g)
	}
	return r
}

func (r *rig) deliver(batch ptrace.Traces) error {
	return deliver(context.Background(), &traces, events[ptrace.Traces](r), r.endpoints, batch)
}

func (r *rig) replied(_ *endpoint[ptrace.Traces], p part[ptrace.Traces]) {
	switch p.reply.Verdict {
	case health.Accepted:
		r.failover += p.failover
	default:
		r.failed += p.items
	}
}

func (r *rig) wentAway(e *endpoint[ptrace.Traces], _ error) { r.gone = append(r.gone, e.name) }

func (r *rig) cameBack(e *endpoint[ptrace.Traces]) { r.back = append(r.back, e.name) }

// waitOut ends the pauses of all endpoints.
func (r *rig) waitOut() {
	for _, e := range r.endpoints {
		if e.health.Avoided() {
			avoid(e, time.Now().Add(-time.Hour))
		}
	}
}

// avoid starts a pause.
func avoid(e *endpoint[ptrace.Traces], at time.Time) {
	e.health = health.State{}
	e.health.Observe(replyOf(health.Away), false, at)
}

// owner returns the index of a span's own endpoint.
func (r *rig) owner(span ptrace.Span) int {
	name := own(span.TraceID(), names(len(r.endpoints)))
	return slices.Index(names(len(r.endpoints)), name)
}

func spansOf(batch ptrace.Traces) (all []ptrace.Span) {
	for _, rs := range batch.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				all = append(all, span)
			}
		}
	}
	return all
}

func spanNames(spans []ptrace.Span) (all []string) {
	for _, span := range spans {
		all = append(all, span.Name())
	}
	return all
}

// batchOf returns n spans with distinct traces and names.
func batchOf(prefix string, n int) ptrace.Traces {
	batch := ptrace.NewTraces()
	spans := batch.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for i := range n {
		span := spans.AppendEmpty()
		span.SetName(fmt.Sprintf("%s %d", prefix, i))
		span.SetTraceID(xxh3.HashString128(span.Name()).Bytes())
	}
	return batch
}

// requireSame compares two lists without their order.
func requireSame(t *testing.T, want, got []string) {
	t.Helper()
	require.Equal(t, slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got)))
}

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
	s.grpc, s.address = collectortest.ServeGRPC(t, func(g *grpc.Server) {
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
