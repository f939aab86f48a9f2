// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

func TestSendsWhatItSays(t *testing.T) {
	endpoint := startEndpoint(t, "")
	dir := t.TempDir()
	summaryFile := filepath.Join(dir, "summary.json")
	opts := parse(t, "--endpoint", endpoint.address, "--rate", "50", "--duration", "200ms",
		"--log-dir", filepath.Join(dir, "logs"), "--summary", summaryFile, "--sent-metrics", filepath.Join(dir, "metrics.json"),
		"--sent-logs", filepath.Join(dir, "sent-logs.json"), "--sent-pairs", filepath.Join(dir, "sent-pairs.json"))
	var table bytes.Buffer
	if err := generate(t.Context(), opts, &table); err != nil {
		t.Fatal(err)
	}

	got := readSummary(t, summaryFile)
	var total counts
	for _, system := range opts.systems {
		c := got.Systems[system]
		if c.Scenarios < 1 || c.Scenarios > 10 {
			t.Errorf("%s: %d scenarios; at most 10 fit the rate and the duration", system, c.Scenarios)
		}
		if !strings.Contains(table.String(), system) {
			t.Errorf("the table leaves out %s:\n%s", system, table.String())
		}
		total.Spans += c.Spans
		total.MetricPoints += c.MetricPoints
		total.LogRecords += c.LogRecords
		total.LogEvents += c.LogEvents
		total.LogEntries += c.LogEntries
		total.LogLines += c.LogLines
	}
	f := func(what string, said int, found int64) {
		t.Helper()
		if int64(said) != found || said == 0 {
			t.Errorf("%s: the summary says %d, %d arrived", what, said, found)
		}
	}
	f("spans", total.Spans, endpoint.spans.Load())
	f("metric points", total.MetricPoints, endpoint.points.Load())
	f("metric points recorded", total.MetricPoints, countPoints(t, filepath.Join(dir, "metrics.json")))
	f("log records", total.LogRecords, endpoint.records.Load())
	f("log lines", total.LogLines, countLines(t, filepath.Join(dir, "logs")))
	checkSentLogs(t, filepath.Join(dir, "sent-logs.json"), filepath.Join(dir, "logs"), total)
	checkSentPairs(t, filepath.Join(dir, "sent-pairs.json"), opts.systems, endpoint)
	if len(got.Errors) != 0 {
		t.Errorf("errors %q", got.Errors)
	}
}

func TestServesPrometheusUntilTold(t *testing.T) {
	endpoint := startEndpoint(t, "")
	address := freeAddress(t)
	summaryFile := filepath.Join(t.TempDir(), "summary.json")
	opts := parse(t, "--endpoint", endpoint.address, "--systems", "tensorcast,fastdeploy", "--duration", "1m",
		"--prometheus-listen", address, "--summary", summaryFile)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan error, 1)
	go func() { done <- generate(ctx, opts, io.Discard) }()

	// The systems start side by side: the page is whole once both have their first scenario.
	text := poll(t, "http://"+address+"/metrics", "fastdeploy:requests_number ", "\ntc_replicas_total")
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
	stop()
	if err := <-done; err != nil {
		t.Errorf("stopped by a signal: %v", err)
	}
	said := map[string]int{}
	for _, c := range readSummary(t, summaryFile).Systems {
		said["families"] += len(c.ScrapeFamilies)
		said["series"] += c.ScrapeSeries
	}
	for _, f := range families {
		said["families"]--
		said["series"] -= len(f.GetMetric())
	}
	if said["families"] != 0 || said["series"] != 0 {
		t.Errorf("the summary is off from the last page by %v", said)
	}
}

// All systems can be sent side by side, each scraped one with a page of its own.
func TestSendsKeptSystems(t *testing.T) {
	endpoint := startEndpoint(t, "")
	dir := t.TempDir()
	summaryFile := filepath.Join(dir, "summary.json")
	var scraped []string
	for _, name := range scenario.KeptNames() {
		generator, err := scenario.New(name, 1, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := generator.(scenario.Scraped); ok {
			scraped = append(scraped, freeAddress(t))
		}
	}
	opts := parse(t, "--endpoint", endpoint.address, "--systems", strings.Join(scenario.KeptNames(), ","), "--duration", "100ms",
		"--prometheus-listen", strings.Join(scraped, ","), "--log-dir", dir, "--summary", summaryFile)
	if err := generate(t.Context(), opts, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, name := range scenario.KeptNames() {
		if readSummary(t, summaryFile).Systems[name].Scenarios == 0 {
			t.Errorf("%s sent nothing", name)
		}
	}
}

func TestFailures(t *testing.T) {
	rejecting := startEndpoint(t, "too many spans")
	f := func(want string, args ...string) {
		t.Helper()
		summaryFile := filepath.Join(t.TempDir(), "summary.json")
		opts := parse(t, append(args, "--duration", "50ms", "--summary", summaryFile)...)
		err := generate(t.Context(), opts, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v; want one with %q", err, want)
		}
		if reasons := strings.Join(readSummary(t, summaryFile).Errors, "\n"); !strings.Contains(reasons, want) {
			t.Errorf("the summary's errors are %q; want %q among them", reasons, want)
		}
	}
	f("send traces to ", "--endpoint", freeAddress(t))
	f("rejected 1 spans: \"too many spans\"", "--endpoint", rejecting.address)
}

// Each scraped system can have a page of its own; then each needs an address.
func TestPageOfEachSystem(t *testing.T) {
	opts := parse(t, "--prometheus-listen", "127.0.0.1:0,127.0.0.1:0,127.0.0.1:0")
	err := generate(t.Context(), opts, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "one for each of the 2 scraped systems") {
		t.Errorf("unexpected error: %v", err)
	}
}

func TestFlags(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		_, err := parseFlags(args, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v; want one with %q", args, err, want)
		}
	}
	f(`--systems: unknown system "tensor"`, "--systems", "tensor")
	f(`--systems: "tuft" is named twice`, "--systems", "tuft,tuft")
	f("flag provided but not defined: -system", "--system", "tuft")
	f("--rate must be above 0 and at most 10000 (got -1)", "--rate", "-1")
	f("--rate must be above 0", "--rate", "NaN")
	f("--duration must be positive (got 0s)", "--duration", "0s")
	f(`unexpected argument "now"`, "now")

	opts := parse(t, "--systems", "pytango", "--prometheus-listen", "127.0.0.1:0")
	if err := generate(t.Context(), opts, io.Discard); err == nil || !strings.Contains(err.Error(), "none of the chosen systems is scraped") {
		t.Errorf("got error %v", err)
	}
}

func parse(t *testing.T, args ...string) options {
	t.Helper()
	opts, err := parseFlags(args, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return opts
}

func readSummary(t *testing.T, file string) summary {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var s summary
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// countPoints counts the data points of a file of OTLP JSON lines.
func countPoints(t *testing.T, file string) int64 {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range bytes.Lines(text) {
		metrics, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(line)
		if err != nil {
			t.Fatal(err)
		}
		n += metrics.DataPointCount()
	}
	return int64(n)
}

// checkSentLogs checks that the truth counts all logs, and that the text of each file's
// entries, in order, is what the file holds.
func checkSentLogs(t *testing.T, file, logDir string, total counts) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	records, entries := 0, 0
	texts, indexes := map[string]string{}, map[string]int{}
	for line := range bytes.Lines(content) {
		var l sentLog
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		if l.Index != indexes[l.System+l.File] || l.Time == 0 || l.States == "" || (l.TraceID == "") != (l.SpanID == "") {
			t.Errorf("%+v", l)
		}
		indexes[l.System+l.File]++
		if l.File == "" {
			records++
			continue
		}
		entries++
		texts[l.File] += l.Text + "\n"
	}
	if records != total.LogEvents || entries != total.LogEntries {
		t.Errorf("the truth about %d records and %d entries; the summary says %d and %d", records, entries, total.LogEvents, total.LogEntries)
	}
	for name, text := range texts {
		written, err := os.ReadFile(filepath.Join(logDir, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(written) != text {
			t.Errorf("%s holds other entries than the truth", name)
		}
	}
}

// checkSentPairs checks that the truth about pairs is one about all systems and about
// spans that arrived.
func checkSentPairs(t *testing.T, file string, systems []string, endpoint *endpoint) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pairs, findable := map[string]int{}, map[bool]int{}
	for line := range bytes.Lines(content) {
		var p sentPair
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		if p.Rule == "" || p.From.TraceID == p.To.TraceID || !endpoint.arrived(p.From) || !endpoint.arrived(p.To) {
			t.Errorf("%+v", p)
		}
		if p.Findable == (p.Rule == scenario.RuleRetrieve) {
			t.Errorf("%s is findable: %t", p.Rule, p.Findable)
		}
		pairs[p.System]++
		findable[p.Findable]++
	}
	for _, system := range systems {
		if pairs[system] == 0 {
			t.Errorf("no pairs of %s", system)
		}
	}
	if len(pairs) != len(systems) || findable[true] == 0 || findable[false] == 0 {
		t.Errorf("pairs of %v, findable %v", pairs, findable)
	}
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
	refs                   sync.Map // of sentSpan
}

func (e *endpoint) arrived(s sentSpan) bool {
	_, ok := e.refs.Load(s)
	return ok
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
	for _, rs := range r.Traces().ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				s.refs.Store(newSentSpan(scenario.SpanRef{TraceID: span.TraceID(), SpanID: span.SpanID()}), true)
			}
		}
	}
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
