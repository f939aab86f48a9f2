// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

const (
	// refusedPath is where the backend refuses everything for good.
	refusedPath = "/refused"
	// unknownPath is where it does not know the credentials until it is well.
	unknownPath = "/unknown"
	// rejectingPath is where it accepts requests and rejects an item of each.
	rejectingPath = "/rejecting"
	// Of the broken collector; alerts.yaml is changed to them.
	brokenServiceLimit = 4000
	brokenMemoryMiB    = 4
	// brokenConfig has something wrong in every part. %[1]s is the backend, %[5]q a gateway that
	// takes traces and %[6]q one that rejects a span of each request; there is nobody at port 1.
	brokenConfig = `yaml:{
  extensions: {conventions: {unowned: {attributes: repair}}, partial_success: null, correlation_index: {window: 2s}, correlation_index/away: {backend: redis, redis: {endpoint: "127.0.0.1:1"}},
    readiness: {http: {endpoint: "${env:OTELCOL_TC_READINESS_ENDPOINT}"}, interval: 200ms, grace: 2s, fail_on: [exporter_failing]}},
  processors: {
    memory_limiter/full: {check_interval: 100ms, limit_mib: 1, spike_limit_mib: 0},
    naming: null,
    cardinality: {state_directory: %[7]q, memory_limit_mib: %[2]d, service_limit: %[3]d, limit: 100000, max_stale: 10s, drop_attributes: [session],
      overrides: [{metric: tc_shop_orders_total, limit: 2}, {metric: tc_shop_wait_seconds, summary: drop}]},
    span_link: {%[4]s},
    span_link/away: {index: correlation_index/away},
    log_correlation: {hold: 100ms, %[4]s}},
  connectors: {
    spillover/refusing: {directory: %[8]q, batch: {flush_timeout: 10ms}},
    spillover/unknown: {directory: %[8]q, batch: {flush_timeout: 10ms}},
    spillover/full: {directory: %[8]q, patience: 1s, min_free: 1000000000000000, batch: {flush_timeout: 10ms}},
    spillover/away: {directory: %[8]q, patience: 1s, queue_size: 20000, min_free: 0, batch: {flush_timeout: 10ms, min_size: 1, max_size: 10000}}},
  exporters: {
    otlp_http/backend: {endpoint: "%[1]s", compression: none, sending_queue: {queue_size: 4, num_consumers: 1},
      retry_on_failure: {initial_interval: 100ms, max_interval: 100ms, max_elapsed_time: 1s}},
    otlp_http/direct: {endpoint: "%[1]s", compression: none, sending_queue: {enabled: false}, retry_on_failure: {enabled: false}},
    otlp_http/refusing: {endpoint: "%[1]s/refused", compression: none, sending_queue: {enabled: false}, retry_on_failure: {enabled: false}},
    otlp_http/unknown: {endpoint: "%[1]s/unknown", compression: none, sending_queue: {enabled: false}, retry_on_failure: {enabled: false}},
    otlp_http/rejecting: {endpoint: "%[1]s/rejecting", compression: none, sending_queue: {enabled: false}, middlewares: [{id: partial_success}]},
    rendezvous: {endpoints: [%[5]q, %[6]q, "127.0.0.1:1"], client: {tls: {insecure: true}}},
    nop: },
  service: {extensions: [health_check, conventions, wire_limits, partial_success, readiness, correlation_index, correlation_index/away], pipelines: {
    traces: {processors: [naming, span_link], exporters: [otlp_http/backend, otlp_http/refusing, rendezvous, conformance, forward/spans, signal_to_metrics/genai]},
    traces/full: {receivers: [otlp], processors: [memory_limiter/full], exporters: [nop]},
    traces/away: {receivers: [otlp], processors: [span_link/away], exporters: [nop]},
    metrics: {receivers: [otlp], processors: [naming, cardinality], exporters: [otlp_http/backend, conformance]},
    metrics/full: {receivers: [otlp], processors: [memory_limiter/full], exporters: [nop]},
    logs: {receivers: [otlp], processors: [log_correlation], exporters: [otlp_http/backend, otlp_http/refusing, otlp_http/rejecting, conformance, signal_to_metrics/nccl]},
    logs/spilled: {receivers: [otlp], exporters: [spillover/refusing, spillover/unknown, spillover/away, spillover/full]},
    logs/refused: {receivers: [spillover/refusing], exporters: [otlp_http/refusing]},
    logs/unknown: {receivers: [spillover/unknown], exporters: [otlp_http/unknown]},
    logs/waiting: {receivers: [spillover/away], exporters: [otlp_http/direct]},
    logs/unkept: {receivers: [spillover/full], exporters: [otlp_http/direct]},
    logs/full: {receivers: [otlp], processors: [memory_limiter/full], exporters: [nop]},
    logs/text: {receivers: [runtime_log], exporters: [otlp_http/direct]}}}}`
	// Three Puts of a job are too many for a Get, and twenty are more than a Take can link.
	brokenRules = `rules: [
  {name: handoff, key: {span_attribute: job.key}, from: {span_name: Producer/Put}, to: {span_name: Consumer/Get}, max_members: 2},
  {name: held, key: {span_attribute: job.key}, from: {span_name: Producer/Put}, to: {span_name: Consumer/Take}, hold: 100ms},
  {name: work, key: {span_attribute: job.key}, from: {span_name: Worker/Run}, logs: [{body: "job {key}"}]}]`
)

// broken is a collector in every trouble that there are alerts for.
type broken struct {
	*collectortest.Collector
	well   *atomic.Bool // the backend is
	rounds int
}

func startBroken(t *testing.T) *broken {
	t.Helper()
	b := &broken{well: &atomic.Bool{}}
	backend := httptest.NewServer(b)
	t.Cleanup(backend.Close)
	dir := t.TempDir()
	brokenOne := fmt.Sprintf(brokenConfig, backend.URL, brokenMemoryMiB, brokenServiceLimit, brokenRules,
		startGateway(t, 0), startGateway(t, 1), brokenState(t), t.TempDir())
	b.Collector = collectortest.Start(t, collectortest.Options{
		Configs: []string{"builtin:dev", brokenOne, fmt.Sprintf(judgingSoon, "2s")},
		Env:     map[string]string{"OTELCOL_TC_LOG_FILES": fmt.Sprintf("[%q]", filepath.Join(dir, "*.log"))},
	})
	collectortest.AppendLines(t, filepath.Join(dir, "text.log"), "nobody takes this line")
	return b
}

// ServeHTTP is the backend.
func (b *broken) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // its content does not matter
	switch {
	case strings.HasPrefix(r.URL.Path, refusedPath):
		w.WriteHeader(http.StatusBadRequest)
	case strings.HasPrefix(r.URL.Path, rejectingPath):
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"partialSuccess":{"rejectedLogRecords":"1"}}`) // the client may be gone
	case !b.well.Load() && strings.HasPrefix(r.URL.Path, unknownPath):
		w.WriteHeader(http.StatusUnauthorized)
	case !b.well.Load():
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// provoke sends what makes every counter of errors count. Nearly all of it is refused.
func (b *broken) provoke(t *testing.T) {
	t.Helper()
	b.rounds++
	job := fmt.Sprintf("job-%d", b.rounds)
	b.sendTraces(t, payload.JobsOf(payload.GetName, "late-"+job))
	traces := payload.JobsOf(payload.PutName, "late-"+job)
	for range 20 {
		payload.AddJob(traces, payload.PutName, job)
	}
	payload.AddJob(traces, payload.GetName, job)
	payload.AddJob(traces, payload.TakeName, job)
	b.sendTraces(t, traces)
	// Many jobs for the index, and a span that knows the request of TuFT that it belongs
	// to, which the index that is away would be asked for.
	b.sendTraces(t, payload.JobsOf(payload.PutName, payload.Numbered(job, 3000)...))
	b.sendTraces(t, requestOfTuFT(job))
	require.Equal(t, collectortest.Refused, collectortest.Post(t, b.Collector, "/v1/traces", payload.NestedValues(1000), ""))

	b.sendLogs(t, drifting(b.rounds <= goodRounds))

	// So often that the queues of these signals are full soon, too.
	for range 3 {
		b.sendLogs(t, payload.JobLogs(payload.Numbered(job, 3)...))
		body, err := pmetricotlp.NewExportRequestFromMetrics(b.metrics()).MarshalProto()
		require.NoError(t, err)
		collectortest.Post(t, b.Collector, "/v1/metrics", body, "")
	}
}

func (b *broken) sendTraces(t *testing.T, traces ptrace.Traces) {
	t.Helper()
	body, err := ptraceotlp.NewExportRequestFromTraces(traces).MarshalProto()
	require.NoError(t, err)
	collectortest.Post(t, b.Collector, "/v1/traces", body, "")
}

func (b *broken) sendLogs(t *testing.T, logs plog.Logs) {
	t.Helper()
	body, err := plogotlp.NewExportRequestFromLogs(logs).MarshalProto()
	require.NoError(t, err)
	collectortest.Post(t, b.Collector, "/v1/logs", body, "")
}

// metrics has more series than there is room for in every budget, a name and a key that are
// left as they are, and a summary that would have to be merged.
func (b *broken) metrics() pmetric.Metrics {
	metrics := pmetric.NewMetrics()
	resource := metrics.ResourceMetrics().AppendEmpty()
	resource.Resource().Attributes().PutStr("service.name", "shop")
	all := resource.ScopeMetrics().AppendEmpty().Metrics()
	addOrders(all.AppendEmpty(), "tc_shop_orders_total", 5, b.rounds)
	addOrders(all.AppendEmpty(), "tc_shop_customers_total", brokenServiceLimit, b.rounds)
	addOrders(all.AppendEmpty(), "Shop Visitors", 1, b.rounds)
	summary := all.AppendEmpty()
	summary.SetName("tc_shop_wait_seconds")
	points := summary.SetEmptySummary().DataPoints()
	for _, session := range []string{"a", "b"} {
		point := points.AppendEmpty()
		point.Attributes().PutStr("session", session)
		point.Attributes().PutStr("tc.…", "a key that cannot be repaired")
		point.SetTimestamp(payload.Timestamp())
	}
	return metrics
}

// addOrders fills in a counter with so many series.
func addOrders(metric pmetric.Metric, name string, series, value int) {
	metric.SetName(name)
	sum := metric.SetEmptySum()
	sum.SetIsMonotonic(true)
	sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	for i := range series {
		point := sum.DataPoints().AppendEmpty()
		point.Attributes().PutStr("customer", fmt.Sprint(i))
		point.SetTimestamp(payload.Timestamp())
		point.SetIntValue(int64(value))
	}
}

const (
	// driftingService is a service whose logs have trace ids for some rounds, and then none.
	driftingService = "drifting"
	goodRounds      = 8
)

// drifting makes more records than an alert needs to see.
func drifting(good bool) plog.Logs {
	logs := plog.NewLogs()
	resource := logs.ResourceLogs().AppendEmpty()
	resource.Resource().Attributes().PutStr("service.name", driftingService)
	records := resource.ScopeLogs().AppendEmpty().LogRecords()
	for range 200 {
		record := records.AppendEmpty()
		record.SetTimestamp(payload.Timestamp())
		record.Body().SetStr("done")
		if good {
			record.SetTraceID(payload.NewSpanRef().TraceID)
		}
	}
	return logs
}

// concerns reports whether an alert with such labels is about this collector, or about the
// service that only sends to it. Its memory limiter has an error that never ends: 1 MiB is less
// than any collector takes.
func (b *broken) concerns(labels map[string]string) bool {
	if labels["condition"] == "recoverable_error" {
		return false
	}
	return labels["instance"] == b.Telemetry || labels["service"] == driftingService
}

// requestOfTuFT makes a span with a key of a built-in rule.
func requestOfTuFT(id string) ptrace.Traces {
	traces, _ := payload.Job("future_store.execute_operation", id)
	resource := traces.ResourceSpans().At(0)
	resource.Resource().Attributes().PutStr("service.name", "tuft")
	resource.ScopeSpans().At(0).Spans().At(0).Attributes().PutStr("tuft.request_id", id)
	return traces
}
