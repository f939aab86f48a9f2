// SPDX-License-Identifier: Apache-2.0

package durability

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// spanSink is an OTLP backend that counts each span. It can be stopped and started at the same address.
type spanSink struct {
	ptraceotlp.UnimplementedGRPCServer
	address string
	grpc    *grpc.Server

	mu    sync.Mutex
	spans map[string]int // how often each came; guarded by mu
}

func startSpanSink(t *testing.T) *spanSink {
	t.Helper()
	s := &spanSink{address: collectortest.AnyAddress, spans: map[string]int{}}
	s.start(t)
	return s
}

func (s *spanSink) start(t *testing.T) {
	t.Helper()
	s.grpc, s.address = collectortest.ServeGRPC(t, s.address, func(server *grpc.Server) { ptraceotlp.RegisterGRPCServer(server, s) })
}

// stop is that of a gateway: it answers what it has.
func (s *spanSink) stop() { s.grpc.GracefulStop() }

func (s *spanSink) Export(_ context.Context, request ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for span := range collectortest.SpansOf(request.Traces()) {
		s.spans[span.Name()]++
	}
	return ptraceotlp.NewExportResponse(), nil
}

// len is the number of different spans that came.
func (s *spanSink) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.spans)
}

func (s *spanSink) awaitMore(t *testing.T, spans int) {
	t.Helper()
	before := s.len()
	collectortest.Eventually(t, 2*collectortest.ArrivalTimeout, func() (bool, string) {
		return s.len() >= before+spans, fmt.Sprintf("%d of %d more spans came to %s", s.len()-before, spans, s.address)
	})
}

// toSinks is a collector that leads traces to sinks and nowhere else.
func toSinks(more string, sinks ...*spanSink) collectortest.Options {
	var addresses []string
	for _, s := range sinks {
		addresses = append(addresses, fmt.Sprintf("%q", s.address))
	}
	return collectortest.Options{Configs: []string{fmt.Sprintf(`yaml:{
  receivers: {otlp: {protocols: {http: {endpoint: "${env:OTELCOL_TC_OTLP_HTTP_ENDPOINT}"}}}},
  exporters: {rendezvous: {endpoints: [%s], client: {tls: {insecure: true}}, timeout: 30s,
    retry_on_failure: {initial_interval: 100ms, max_interval: 300ms, max_elapsed_time: 0s}}},
  extensions: {health_check: {endpoint: "${env:OTELCOL_TC_HEALTH_ENDPOINT}"}},
  service: {extensions: [health_check], pipelines: {traces: {receivers: [otlp], exporters: [rendezvous]}},
    telemetry: {metrics: {readers: [{pull: {exporter: {prometheus:
      {host: "${env:OTELCOL_TC_TELEMETRY_HOST}", port: "${env:OTELCOL_TC_TELEMETRY_PORT}"}}}}]}}}}`, strings.Join(addresses, ", ")), more}}
}

// spanLoad sends batches of spans, each a trace of its own, until it is ended.
type spanLoad struct {
	sent  int   // spans that were accepted; read it when it has ended
	err   error // that ended it
	end   context.CancelFunc
	ended chan struct{}
}

const loadBatch = 50

func startSpanLoad(t *testing.T, c *collectortest.Collector) *spanLoad {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	l := &spanLoad{end: cancel, ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		for ctx.Err() == nil && l.err == nil {
			l.err = l.send(c)
			time.Sleep(10 * time.Millisecond)
		}
	}()
	t.Cleanup(cancel)
	return l
}

// send sends the next batch, or the last one again when it was not accepted.
func (l *spanLoad) send(c *collectortest.Collector) error {
	traces := ptrace.NewTraces()
	for i := range loadBatch {
		payload.AddJob(traces, fmt.Sprintf("span %d", l.sent+i), "")
	}
	body, err := ptraceotlp.NewExportRequestFromTraces(traces).MarshalProto()
	if err != nil {
		return err
	}
	response, err := http.Post("http://"+c.HTTP+"/v1/traces", "application/x-protobuf", bytes.NewReader(body))
	if err != nil {
		return err
	}
	if response.StatusCode == http.StatusOK {
		l.sent += loadBatch
	}
	return response.Body.Close()
}

func (l *spanLoad) stop(t *testing.T) {
	t.Helper()
	l.end()
	<-l.ended
	require.NoError(t, l.err)
}

// requireAllOnce waits until all spans that were sent have come, and looks that each came
// to one sink once.
func requireAllOnce(t *testing.T, sent int, sinks ...*spanSink) {
	t.Helper()
	collectortest.Eventually(t, 2*collectortest.ArrivalTimeout, func() (bool, string) {
		came, _ := arrivals(sent, sinks)
		return came == sent, fmt.Sprintf("%d of %d spans came", came, sent)
	})
	_, doubled := arrivals(sent, sinks)
	require.Zero(t, doubled, "of %d spans came more than once", sent)
}

// arrivals counts the different spans that came, and how often one came again.
func arrivals(sent int, sinks []*spanSink) (came, doubled int) {
	counts := make(map[string]int, sent)
	for _, s := range sinks {
		s.mu.Lock()
		for name, n := range s.spans {
			counts[name] += n
		}
		s.mu.Unlock()
	}
	for _, n := range counts {
		doubled += n - 1
	}
	return len(counts), doubled
}
