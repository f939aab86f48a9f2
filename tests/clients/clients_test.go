// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

func overHTTP(c *collectortest.Collector) []string {
	return []string{"--protocol", "http", "--endpoint", c.HTTP}
}

// What real clients send comes out complete and unchanged, under the convention's names.
func TestRealClients(t *testing.T) {
	names := testfiles.Read[map[string]map[string]string](t, "testdata/names.yaml")
	for name, test := range map[string]struct {
		program        string
		arguments      func(*collectortest.Collector) []string
		spans, metrics map[string]string
		handlers       int // log handlers, each of which sends every event
	}{
		"tensorcast over gRPC": {"tensorcast_store_daemon.py", OverGRPC, names["tensorcastSpans"], names["tensorcastMetrics"], 1},
		"tensorcast over HTTP": {"tensorcast_store_daemon.py", overHTTP, names["tensorcastSpans"], names["tensorcastMetrics"], 1},
		"tuft over gRPC":       {"tuft.py", OverGRPC, names["tuftSpans"], names["tuftMetrics"], 2},
		"tuft over HTTP":       {"tuft.py", overHTTP, names["tuftSpans"], names["tuftMetrics"], 2},
		"pytango":              {"pytango_app.py", GrpcOnly, names["pytangoSpans"], nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := collectortest.Start(t, collectortest.Options{})
			sent := RunClient(t, test.program, test.arguments(c)...)
			page := c.Scrape(t)
			require.Zero(t, c.Stop(t).Code)

			checkSpans(t, sent.Spans, c.Traces(t), test.spans)
			checkMetrics(t, sent.Metrics, c.Metrics(t), test.metrics)
			CheckLogs(t, events(sent.Logs, test.handlers), c.LogRecords(t))
			tcgen.AssertPageNames(t, slices.Collect(maps.Keys(page)))
			tcgen.AssertNoIDs(t, page)
		})
	}
}

// events returns the log events of records that each of some handlers sent.
func events(records []SentLog, handlers int) []SentLog {
	sorted := slices.SortedFunc(slices.Values(records), func(a, b SentLog) int {
		return cmp.Or(strings.Compare(a.Body, b.Body), strings.Compare(a.TraceID, b.TraceID), strings.Compare(a.SpanID, b.SpanID))
	})
	var once []SentLog
	for i := 0; i < len(sorted); i += handlers {
		once = append(once, sorted[i])
	}
	return once
}

// The spans of one request stay one trace across the two processes that made them.
func TestRealClientsTraceCrossesProcesses(t *testing.T) {
	t.Parallel()
	c := collectortest.Start(t, collectortest.Options{})
	RunClient(t, "tensorcast_store_daemon.py", OverGRPC(c)...)
	c.Stop(t)

	spans := receivedSpans(c.Traces(t))
	for _, span := range spans {
		if span.original.Name != "/tensorcast.global_store.v1.ArtifactCatalogService/RegisterMemoryReplica" {
			continue
		}
		var services []string
		for _, other := range spans {
			if other.original.TraceID == span.original.TraceID {
				services = append(services, other.original.Service)
			}
		}
		assert.Contains(t, services, "tensorcast-store-daemon")
		assert.Contains(t, services, "tensorcast-global-store")
		return
	}
	t.Fatal("no span of RegisterMemoryReplica came out")
}

// receivedSpan is a span that came out, with the name it came in with.
type receivedSpan struct {
	original sentSpan
	name     string
	// keepsOriginal says that the original name came with the span.
	keepsOriginal bool
}

// checkSpans compares all that identifies a span, so a lost, doubled or changed one shows.
func checkSpans(t *testing.T, sent []sentSpan, traces ptrace.Traces, renames map[string]string) {
	t.Helper()
	var originals []sentSpan
	var names []string
	got := map[string]string{}
	for _, span := range receivedSpans(traces) {
		originals = append(originals, span.original)
		names = append(names, span.name)
		got[span.original.Name] = span.name
		assert.Equal(t, span.name != span.original.Name, span.keepsOriginal,
			"the original name is kept where it changed, and only there: %+v", span)
	}
	assert.ElementsMatch(t, sent, originals)
	tcgen.AssertSpanNames(t, names)
	tcgen.AssertRenames(t, renames, got)
}

// checkMetrics checks that a collector that started before the client has counted all that it counted, under the
// names that it has to have.
func checkMetrics(t *testing.T, sent [][]byte, metrics pmetric.Metrics, renames map[string]string) {
	t.Helper()
	var want []pmetric.Metrics
	for _, body := range sent {
		request := pmetricotlp.NewExportRequest()
		require.NoError(t, request.UnmarshalProto(body))
		want = append(want, request.Metrics())
	}
	tcgen.CheckCounted(t, want, metrics)
	tcgen.CheckSeries(t, metrics, tcgen.IDKeys)

	var names []string
	got := map[string]string{}
	for metric := range collectortest.AllMetrics(metrics) {
		names = append(names, metric.Name())
		got[tcgen.OriginalMetricName(metric)] = metric.Name()
	}
	tcgen.AssertMetricNames(t, names)
	tcgen.AssertRenames(t, renames, got)
}

func receivedSpans(traces ptrace.Traces) []receivedSpan {
	var all []receivedSpan
	for resource, span := range collectortest.SpansByResource(traces) {
		service, _ := resource.Attributes().Get("service.name")
		all = append(all, toReceivedSpan(span, service.AsString()))
	}
	return all
}

func toReceivedSpan(span ptrace.Span, service string) receivedSpan {
	received := receivedSpan{name: span.Name(), original: sentSpan{
		TraceID:       span.TraceID().String(),
		SpanID:        span.SpanID().String(),
		ParentSpanID:  span.ParentSpanID().String(),
		Name:          span.Name(),
		Kind:          span.Kind().String(),
		StartUnixNano: uint64(span.StartTimestamp()),
		EndUnixNano:   uint64(span.EndTimestamp()),
		Status:        span.Status().Code().String(),
		Service:       service,
	}}
	if original, ok := span.Attributes().Get(tcgen.OriginalNameKey); ok {
		received.original.Name, received.keepsOriginal = original.Str(), true
	}
	return received
}
