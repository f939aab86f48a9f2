// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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
)

// broken is a collector in every trouble that there are alerts for.
type broken struct {
	*collectortest.Collector
	well     *atomic.Bool // the backend is
	settings string       // a file
	rounds   int
}

func startBroken(t *testing.T) *broken {
	t.Helper()
	b := &broken{well: &atomic.Bool{}}
	backend := collectortest.Serve(t, b)
	dir := t.TempDir()
	b.settings = filepath.Join(dir, "conventions.yaml")
	require.NoError(t, os.WriteFile(b.settings, nil, 0o600))
	b.Collector = collectortest.Start(t, collectortest.Options{
		Configs: []string{"builtin:dev", "testdata/broken.yaml", fmt.Sprintf(judgingSoon, "2s")},
		Env: map[string]string{
			"BROKEN_BACKEND": "http://" + backend, "BROKEN_GATEWAY": collectortest.ServeSpans(t, collectortest.Rejecting(0)), "BROKEN_REJECTING": collectortest.ServeSpans(t, collectortest.Rejecting(1)),
			"BROKEN_STATE": brokenState(t), "BROKEN_QUEUE": t.TempDir(),
			"BROKEN_MEMORY_MIB": fmt.Sprint(brokenMemoryMiB), "BROKEN_SERVICE_LIMIT": fmt.Sprint(brokenServiceLimit),
			"OTELCOL_TC_LOG_FILES": fmt.Sprintf("[%q]", filepath.Join(dir, "*.log")), "OTELCOL_TC_SETTINGS": b.settings,
		},
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
	require.NoError(t, os.WriteFile(b.settings, fmt.Appendf(nil, "mode: %d\n", b.rounds), 0o600))
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
		body, err := pmetricotlp.NewExportRequestFromMetrics(b.metrics(t)).MarshalProto()
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
func (b *broken) metrics(t *testing.T) pmetric.Metrics {
	t.Helper()
	metrics := payload.Read(t, "testdata/broken", time.Now()).Metrics
	for name, series := range map[string]int{"tc_shop_orders_total": 5, "tc_shop_customers_total": brokenServiceLimit, "Shop Visitors": 1} {
		payload.AddCounter(metrics, "shop", name, 0, series, int64(b.rounds), func(i int) map[string]any { return map[string]any{"customer": fmt.Sprint(i)} })
	}
	return metrics
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

// brokenState returns a directory of the cardinality processor whose file is damaged.
func brokenState(t *testing.T) string {
	t.Helper()
	directory := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(directory, "series"), []byte("TCs"), 0o600))
	return directory
}
