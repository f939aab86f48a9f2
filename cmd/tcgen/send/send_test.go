// SPDX-License-Identifier: Apache-2.0

package send_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/send"
)

func TestCountsWhatArrives(t *testing.T) {
	endpoint := startEndpoint(t, "")
	logs := t.TempDir()
	systems := slices.Concat(scenario.Names(), []string{"vllm"})
	counts, err := send.Run(t.Context(), send.Options{Systems: systems, Endpoint: endpoint.address, Rate: 50, Duration: 100 * time.Millisecond, LogDir: logs})
	if err != nil {
		t.Fatal(err)
	}
	var total send.Counts
	for _, system := range systems {
		c := counts[system]
		if c.Scenarios < 1 || c.Scenarios > 5 {
			t.Errorf("%s: %d scenarios; at most 5 fit the rate and the duration", system, c.Scenarios)
		}
		total.Spans += c.Spans
		total.MetricPoints += c.MetricPoints
		total.LogRecords += c.LogRecords
		total.LogLines += c.LogLines
	}
	f := func(what string, said int, found int64) {
		t.Helper()
		if int64(said) != found || said == 0 {
			t.Errorf("%s: %d were counted, %d arrived", what, said, found)
		}
	}
	f("spans", total.Spans, endpoint.spans.Load())
	f("metric points", total.MetricPoints, endpoint.points.Load())
	f("log records", total.LogRecords, endpoint.records.Load())
	f("log lines", total.LogLines, countLines(t, logs))
}

func TestServesPagesUntilTold(t *testing.T) {
	endpoint := startEndpoint(t, "")
	address := freeAddress(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var counts map[string]send.Counts
	done := make(chan error, 1)
	go func() {
		var err error
		counts, err = send.Run(ctx, send.Options{
			Systems: []string{"tensorcast", "fastdeploy"}, Endpoint: endpoint.address, Rate: 1, Duration: time.Minute, Pages: address,
		})
		done <- err
	}()

	// The systems start side by side: the page is whole once both have their first scenario.
	text := poll(t, "http://"+address+"/metrics", "fastdeploy:requests_number ", "\ntc_replicas_total")
	stop()
	if err := <-done; err != nil {
		t.Errorf("stopped by a signal: %v", err)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatalf("the page does not parse: %v", err)
	}
	for _, name := range []string{"tc_replicas_total", "tc_view_registration_created", "fastdeploy:zmq:latency"} {
		if families[name] == nil {
			t.Errorf("the page has no %s", name)
		}
	}
	left := map[string]int{}
	for _, c := range counts {
		left["families"] += len(c.ScrapeFamilies)
		left["series"] += c.ScrapeSeries
	}
	for _, f := range families {
		left["families"]--
		left["series"] -= len(f.GetMetric())
	}
	if left["families"] != 0 || left["series"] != 0 {
		t.Errorf("the counts are off from the last page by %v", left)
	}
}

func TestFailures(t *testing.T) {
	rejecting := startEndpoint(t, "too many spans")
	f := func(want string, o send.Options) {
		t.Helper()
		o.Rate, o.Duration = 1, 50*time.Millisecond
		if _, err := send.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v; want one with %q", err, want)
		}
	}
	f("tuft: send traces to ", send.Options{Systems: []string{"tuft"}, Endpoint: freeAddress(t)})
	f("rejected 1 spans: \"too many spans\"", send.Options{Systems: []string{"tuft"}, Endpoint: rejecting.address})
	f("one for each of the 2 scraped systems", send.Options{Systems: scenario.Names(), Pages: "127.0.0.1:0,127.0.0.1:0,127.0.0.1:0"})
	f("none of the chosen systems is scraped", send.Options{Systems: []string{"pytango"}, Pages: "127.0.0.1:0"})
}

func countLines(t *testing.T, dir string) int64 {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n += bytes.Count(text, []byte("\n"))
	}
	return int64(n)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// poll fetches the page until it holds all texts.
func poll(t *testing.T, url string, texts ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		page, err := get(ctx, url)
		missing := slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(page, text) })
		if err == nil && !missing {
			return page
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s never held %q; last error %v", url, texts, err)
		case <-tick.C:
		}
	}
}

func get(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	page, err := io.ReadAll(response.Body)
	return string(page), errors.Join(err, response.Body.Close())
}

// endpoint is an OTLP gRPC server that counts. With a rejection it says that it
// rejected one span of each request.
type endpoint struct {
	address                string
	spans, points, records atomic.Int64
}

func startEndpoint(t *testing.T, rejection string) *endpoint {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := &endpoint{address: listener.Addr().String()}
	srv := grpc.NewServer()
	ptraceotlp.RegisterGRPCServer(srv, &traceServer{endpoint: e, rejection: rejection})
	pmetricotlp.RegisterGRPCServer(srv, &metricServer{endpoint: e})
	plogotlp.RegisterGRPCServer(srv, &logServer{endpoint: e})
	done := make(chan error, 1)
	go func() { done <- srv.Serve(listener) }()
	t.Cleanup(func() {
		srv.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return e
}

type traceServer struct {
	ptraceotlp.UnimplementedGRPCServer
	*endpoint
	rejection string
}

func (s *traceServer) Export(_ context.Context, r ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	s.spans.Add(int64(r.Traces().SpanCount()))
	response := ptraceotlp.NewExportResponse()
	if s.rejection != "" {
		response.PartialSuccess().SetRejectedSpans(1)
		response.PartialSuccess().SetErrorMessage(s.rejection)
	}
	return response, nil
}

type metricServer struct {
	pmetricotlp.UnimplementedGRPCServer
	*endpoint
}

func (s *metricServer) Export(_ context.Context, r pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	s.points.Add(int64(r.Metrics().DataPointCount()))
	return pmetricotlp.NewExportResponse(), nil
}

type logServer struct {
	plogotlp.UnimplementedGRPCServer
	*endpoint
}

func (s *logServer) Export(_ context.Context, r plogotlp.ExportRequest) (plogotlp.ExportResponse, error) {
	s.records.Add(int64(r.Logs().LogRecordCount()))
	return plogotlp.NewExportResponse(), nil
}
