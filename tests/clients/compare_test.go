// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen"
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
