package tests

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

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
	assertSpanNames(t, names)
	assertRenames(t, renames, got)
}

// checkMetrics compares all data points, under their original names, with what has to
// come out of a collector that started at a time for requests that were sent.
func checkMetrics(t *testing.T, sent [][]byte, since time.Time, metrics pmetric.Metrics, renames map[string]string) {
	t.Helper()
	m := newMerger(since, idKeys)
	var want []item
	for _, body := range sent {
		request := pmetricotlp.NewExportRequest()
		require.NoError(t, request.UnmarshalProto(body))
		want = append(want, metricItems(t, m.batch(t, request.Metrics()))...)
	}
	checkMerged(t, want, metrics)
	checkSeries(t, metrics, idKeys)

	var names []string
	got := map[string]string{}
	for metric := range allMetrics(metrics) {
		names = append(names, metric.Name())
		got[originalMetricName(metric)] = metric.Name()
	}
	assertMetricNames(t, names)
	assertRenames(t, renames, got)
}

func checkLogs(t *testing.T, sent []sentLog, logs plog.Logs) {
	t.Helper()
	var got []sentLog
	for _, resource := range logs.ResourceLogs().All() {
		for _, scope := range resource.ScopeLogs().All() {
			for _, record := range scope.LogRecords().All() {
				got = append(got, sentLog{
					Body:    record.Body().AsString(),
					TraceID: record.TraceID().String(),
					SpanID:  record.SpanID().String(),
				})
			}
		}
	}
	assert.ElementsMatch(t, sent, got)
}

func receivedSpans(traces ptrace.Traces) []receivedSpan {
	var all []receivedSpan
	for _, resource := range traces.ResourceSpans().All() {
		service, _ := resource.Resource().Attributes().Get("service.name")
		for _, scope := range resource.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				all = append(all, toReceivedSpan(span, service.AsString()))
			}
		}
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
	if original, ok := span.Attributes().Get(originalNameKey); ok {
		received.original.Name, received.keepsOriginal = original.Str(), true
	}
	return received
}

// allMetrics iterates over the metrics of all resources and scopes.
func allMetrics(metrics pmetric.Metrics) func(yield func(pmetric.Metric) bool) {
	return func(yield func(pmetric.Metric) bool) {
		for _, resource := range metrics.ResourceMetrics().All() {
			for _, scope := range resource.ScopeMetrics().All() {
				for _, metric := range scope.Metrics().All() {
					if !yield(metric) {
						return
					}
				}
			}
		}
	}
}

func originalMetricName(metric pmetric.Metric) string {
	if original, ok := metric.Metadata().Get(originalNameKey); ok {
		return original.Str()
	}
	return metric.Name()
}
