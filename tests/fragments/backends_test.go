// SPDX-License-Identifier: Apache-2.0

package fragments

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/snappy"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// A real Jaeger gets traces by gateway-jaeger, also those that came before it did, and the backend
// the rest.
func TestTracesInJaegerByFragment(t *testing.T) {
	t.Parallel()
	jaeger := servers.StartJaeger(t)
	backend, files := collectortest.FileGateway(t, map[string]string{})
	gateway := collectortest.Start(t, collectortest.Options{
		Configs: collectortest.WithFragments("gateway-jaeger"),
		Env:     map[string]string{"OTELCOL_TC_JAEGER_ENDPOINT": jaeger.Otlp, "OTELCOL_TC_BACKEND": "http://" + backend.HTTP},
	})
	ref := payload.PostJob(t, gateway, payload.PutName, "")
	collectortest.PostLogs(t, gateway, payload.JobLogs("jaeger"))
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		_, err := collectortest.GetPage(t.Context(), jaeger.Query+"/api/v3/traces/"+ref.TraceID.String())
		return err == nil, fmt.Sprint("Jaeger does not have the trace: ", err)
	})
	assert.Equal(t, ref.SpanID, collectortest.SpanRef(firstSpan(t, jaeger.Trace(t, ref.TraceID))).SpanID)
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		return payload.ArrivedFrom(t, files)["job jaeger is done"] == 1, "the log has not come"
	})
	assert.Zero(t, files.Traces(t).SpanCount())
}

func firstSpan(t *testing.T, traces ptrace.Traces) ptrace.Span {
	t.Helper()
	for span := range collectortest.SpansOf(traces) {
		return span
	}
	require.Fail(t, "no span")
	return ptrace.Span{}
}

// A real Prometheus gets metrics by gateway-remote-write: those that came while it was away in
// their order, each series once.
func TestMetricsByRemoteWrite(t *testing.T) {
	t.Parallel()
	address := collectortest.FreeAddress(t)
	gateway := collectortest.Start(t, collectortest.Options{
		Configs: collectortest.WithFragments("gateway-remote-write"),
		Env:     map[string]string{"OTELCOL_TC_REMOTE_WRITE": "http://" + address + "/api/v1/write"},
	})
	const points = 20
	for i := range points {
		metrics := payload.Gauge("writer", "tc_written")
		for metric := range collectortest.AllMetrics(metrics) {
			point := metric.Gauge().DataPoints().At(0)
			point.SetIntValue(int64(i))
			point.SetTimestamp(pcommon.NewTimestampFromTime(time.Now().Add(time.Duration(i-points) * time.Second)))
		}
		collectortest.PostMetrics(t, gateway, metrics)
	}
	p, dir := &servers.Prometheus{Address: address}, t.TempDir()
	file := filepath.Join(dir, "prometheus.yml")
	require.NoError(t, os.WriteFile(file, []byte("{}"), 0o600))
	log, ready := p.Start(t, "--config.file", file,
		"--storage.tsdb.path", filepath.Join(dir, "data"), "--web.enable-remote-write-receiver")
	require.True(t, ready, log)

	var values []string
	collectortest.Eventually(t, 2*collectortest.ArrivalTimeout, func() (bool, string) {
		found := servers.Query[model.Matrix](t, p, `tc_written{job="writer"}`+servers.LookBack, time.Now())
		values = nil
		for _, series := range found {
			for _, sample := range series.Values {
				values = append(values, sample.Value.String())
			}
		}
		return len(found) == 1 && len(values) == points, fmt.Sprintf("%d series, values %v", len(found), values)
	})
	for i, value := range values {
		assert.Equal(t, fmt.Sprint(i), value)
	}
}

// Files of gateway-json-file are read back whole: what was sent is in them once, over the end of a
// file and over a restart.
func TestJSONFilesAreRotated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start := func() *collectortest.Collector {
		return collectortest.Start(t, collectortest.Options{
			Configs: collectortest.WithFragments("gateway-json-file"),
			Env:     map[string]string{"OTELCOL_TC_FILES": dir, "OTELCOL_TC_FILE_SIZE": "1", "OTELCOL_TC_FILE_COUNT": "20"},
		})
	}
	var want []scenario.SpanRef
	for range 2 {
		gateway := start()
		for i := range 4 {
			traces := payload.JobsOf(payload.PutName, payload.Numbered(fmt.Sprintf("rotated-%d", i), 1000)...)
			collectortest.PostTraces(t, gateway, traces)
			want = append(want, collectortest.RefsOf(traces)...)
		}
		require.Zero(t, gateway.Stop(t).Code)
	}
	files, err := filepath.Glob(filepath.Join(dir, "traces*.json"))
	require.NoError(t, err)
	assert.Greater(t, len(files), 2, "files")
	var got []scenario.SpanRef
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(t, err)
		assert.Less(t, info.Size(), int64(collectortest.MiB+collectortest.MiB/10), file)
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(content)) {
			traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(line))
			require.NoError(t, err, file)
			got = append(got, collectortest.RefsOf(traces)...)
		}
	}
	assert.Len(t, got, len(want))
	assert.Subset(t, got, want)
}

// Of gateway-tail-sampling the backend gets the traces with errors, the slow ones and the linked
// ones whole, of the rest the share; late spans go the way of their trace. What is dropped is
// judged all the same.
func TestTailSampling(t *testing.T) {
	t.Parallel()
	f := func(percent int) {
		t.Run(fmt.Sprintf("%d percent", percent), func(t *testing.T) {
			t.Parallel()
			gateway, files := collectortest.FileGateway(t, map[string]string{
				"OTELCOL_TC_SAMPLING_WAIT": "1s", "OTELCOL_TC_SAMPLING_PERCENT": fmt.Sprint(percent),
			}, "builtin:fragments/gateway-tail-sampling", fmt.Sprintf("yaml:{processors: {span_link: {%s}}, connectors: {conformance: {interval: 1s}}}", payload.RulesOfJobs(time.Second)))
			var kept, rest []scenario.SpanRef
			traceOf := func(fill func(ptrace.Span)) scenario.SpanRef {
				traces, ref := payload.Job("Worker/Other", "")
				fill(firstSpan(t, traces))
				child := payload.AddJob(traces, "Worker/Child", "")
				for span := range collectortest.SpansOf(traces) {
					if collectortest.SpanRef(span) == child {
						span.SetTraceID(ref.TraceID)
						span.SetParentSpanID(ref.SpanID)
						child = collectortest.SpanRef(span)
					}
				}
				collectortest.PostTraces(t, gateway, traces)
				kept = append(kept, ref, child)
				return ref
			}
			failed := traceOf(func(span ptrace.Span) { span.Status().SetCode(ptrace.StatusCodeError) })
			traceOf(func(span ptrace.Span) { span.SetEndTimestamp(span.StartTimestamp() + pcommon.Timestamp(2*time.Second)) })
			rest = append(rest, payload.PostJob(t, gateway, payload.PutName, "pair"))
			kept = append(kept, payload.PostJob(t, gateway, payload.GetName, "pair"))
			for range 20 {
				rest = append(rest, payload.PostJob(t, gateway, "Worker/Fast", ""))
			}
			if percent == 100 {
				kept, rest = append(kept, rest...), nil
			}
			collectortest.RequireArrived(t, files, kept...)
			late, ref := payload.Job("Worker/Late", "")
			firstSpan(t, late).SetTraceID(failed.TraceID)
			ref.TraceID = failed.TraceID
			collectortest.PostTraces(t, gateway, late)
			collectortest.RequireArrived(t, files, append(kept, ref)...)
			require.Empty(t, slices.DeleteFunc(rest, func(ref scenario.SpanRef) bool { return !slices.Contains(collectortest.RefsOf(files.Traces(t)), ref) }))

			const all = 2 + 2 + 2 + 20 + 1
			collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
				var judged int64
				for _, service := range collectortest.ConformanceReport(t, gateway).Services {
					for _, score := range service.Scores {
						if score.Signal == "traces" {
							judged += score.Checked
						}
					}
				}
				return judged == all, fmt.Sprintf("%d of %d spans judged", judged, all)
			})
		})
	}
	f(0)
	f(100)
}

// Metrics of spans by gateway-span-metrics say to the byte what the spans say, go to the backend and
// to the page, and have the gateway's name.
func TestMetricsOfSpansOfAGateway(t *testing.T) {
	t.Parallel()
	gateway, files := collectortest.FileGateway(t, map[string]string{"OTELCOL_TC_INSTANCE": "gateway-7"}, "builtin:fragments/gateway-span-metrics")
	odd := payload.Read(t, "testdata/odd", time.Now()).Traces
	collectortest.PostTraces(t, gateway, odd)
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		return files.Traces(t).SpanCount() == odd.SpanCount(), "spans have not come"
	})
	const want float64 = 1 << 63 // of the two largest
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		shown := collectortest.Sum(gateway.Scrape(t)["tc_p2p_transfer_bytes_total"], map[string]string{"instance": "gateway-7"})
		return shown == want, fmt.Sprintf("%v of %v bytes on the page", shown, want)
	})
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		var sent float64
		for resource, metric := range collectortest.MetricsByResource(files.Metrics(t)) {
			if instance, _ := resource.Attributes().Get("service.instance.id"); metric.Name() == "tc_p2p_transfer_bytes" && instance.Str() == "gateway-7" {
				sent = 0
				for _, point := range metric.Sum().DataPoints().All() {
					sent += point.DoubleValue()
				}
			}
		}
		return sent == want, fmt.Sprintf("%v of %v bytes at the backend", sent, want)
	})
}

// hangs is a status with which nothing is answered until the client goes away.
const hangs = 0

// writeBackend answers remote writes with a status, and keeps what it has accepted.
type writeBackend struct {
	mu      sync.Mutex
	status  int
	asked   int
	content strings.Builder
}

func (b *writeBackend) respond(status int) (asked int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status = status
	return b.asked
}

func (b *writeBackend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	text, _ := snappy.Decode(nil, body)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	if b.status == hangs {
		b.mu.Unlock()
		<-r.Context().Done()
		b.mu.Lock()
		return
	}
	if b.status == http.StatusOK && err == nil {
		b.content.Write(text)
	}
	w.WriteHeader(b.status)
}

// has reports whether all services of some names have arrived.
func (b *writeBackend) has(names []string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, name := range names {
		if !strings.Contains(b.content.String(), name) {
			return false
		}
	}
	return true
}

// The exporter of remote write says of no refusal why. While everything is refused, what comes is accepted and waits,
// and nothing is set aside.
func TestRemoteWriteRefuses(t *testing.T) {
	b := &writeBackend{}
	server := collectortest.Serve(t, b)
	state := t.TempDir()
	c := collectortest.Start(t, collectortest.Options{
		Configs: []string{"builtin:gateway", "builtin:fragments/gateway-remote-write"},
		Env:     map[string]string{"OTELCOL_TC_REMOTE_WRITE": "http://" + server, "OTELCOL_TC_STATE": state, "OTELCOL_TC_PATIENCE": "500ms"},
	})
	for _, status := range []int{hangs, http.StatusUnauthorized, http.StatusNotFound, http.StatusBadRequest, http.StatusInternalServerError} {
		asked, times := b.respond(status), 4
		if status == hangs {
			times = 2 // each one lasts as long as a timeout
		}
		names := payload.Numbered(fmt.Sprintf("status-%d-", status), 10)
		for _, name := range names {
			collectortest.PostMetrics(t, c, payload.Gauge(name, "tc_jobs"))
		}
		collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
			return b.respond(status) >= asked+times, fmt.Sprint("asked again with ", status)
		})
		b.respond(http.StatusOK)
		collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) { return b.has(names), fmt.Sprint("arrived after ", status) })
	}
	_, err := os.Stat(filepath.Join(state, "spillover", "spillover", "metrics", "dead_letter.jsonl"))
	assert.True(t, os.IsNotExist(err))
}
