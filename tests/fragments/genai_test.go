// SPDX-License-Identifier: Apache-2.0

package fragments

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// oneRequest has three operations to count, and four spans that are none or cannot be measured. The third is as
// OpenInference sends it: without error.type.
func oneRequest(t *testing.T, number int) ptrace.Traces {
	t.Helper()
	traces := payload.Read(t, "testdata/genai", time.Now()).Traces
	traces.ResourceSpans().At(0).Resource().Attributes().PutStr("service.instance.id", fmt.Sprint("pod-", number))
	ref := payload.NewSpanRef()
	for span := range collectortest.SpansOf(traces) {
		span.SetTraceID(ref.TraceID)
	}
	return traces
}

// checkGenAI checks the metrics of so many requests.
func checkGenAI(t *testing.T, metrics pmetric.Metrics, requests int) {
	t.Helper()
	got := map[string]pmetric.HistogramDataPoint{}
	for metric := range collectortest.AllMetrics(metrics) {
		if !strings.HasPrefix(metric.Name(), "gen_ai.client.") {
			continue
		}
		require.Equal(t, pmetric.AggregationTemporalityCumulative, metric.Histogram().AggregationTemporality())
		for _, point := range metric.Histogram().DataPoints().All() {
			got[fmt.Sprint(metric.Name(), point.Attributes().AsRaw())] = point
		}
	}
	f := func(name string, more map[string]any, count int, sum, first float64) {
		t.Helper()
		want := map[string]any{
			"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "qwen", "gen_ai.response.model": "qwen-7b",
			"tc.source": "spans",
		}
		maps.Copy(want, more)
		maps.DeleteFunc(want, func(_ string, value any) bool { return value == nil })
		point, ok := got[fmt.Sprint(name, want)]
		require.True(t, ok, "%s %v is not among %q", name, want, slices.Collect(maps.Keys(got)))
		assert.EqualValues(t, count, point.Count(), name)
		assert.InDelta(t, sum, point.Sum(), 1e-6, name)
		assert.Equal(t, first, point.ExplicitBounds().At(0), name)
	}
	const duration, tokens = "gen_ai.client.operation.duration", "gen_ai.client.token.usage"
	f(duration, nil, requests, 0.5*float64(requests), 0.01)
	f(duration, map[string]any{"error.type": "timeout"}, requests, 0.5*float64(requests), 0.01)
	f(duration, map[string]any{"error.type": "_OTHER", "gen_ai.request.model": "llama", "gen_ai.response.model": nil}, requests, 0.5*float64(requests), 0.01)
	f(tokens, map[string]any{"gen_ai.token.type": "input"}, 2*requests, 200*float64(requests), 1)
	f(tokens, map[string]any{"gen_ai.token.type": "output"}, requests, 7*float64(requests), 1)
	assert.Len(t, got, 5, "series")
}

// However many clients send at a time, each operation is counted once, in series without ids. Spans of
// servers, other spans and spans with impossible times are not counted.
func TestMetricsOfGenAI(t *testing.T) {
	t.Parallel()
	const clients, requests = 8, 40
	f := func(c *collectortest.Collector, metrics func() pmetric.Metrics) {
		t.Helper()
		var all sync.WaitGroup
		for client := range clients {
			all.Go(func() {
				for i := range requests {
					collectortest.PostTraces(t, c, oneRequest(t, client*requests+i))
				}
			})
		}
		all.Wait()
		require.Zero(t, c.Stop(t).Code)
		checkGenAI(t, metrics(), clients*requests)
	}
	dev := collectortest.Start(t, collectortest.Options{})
	f(dev, func() pmetric.Metrics { return dev.MetricsIn(t, "span_metrics.json") })
	gateway, files := collectortest.FileGateway(t, map[string]string{"OTELCOL_TC_INSTANCE": "gateway-7"})
	f(gateway, func() pmetric.Metrics {
		metrics := files.Metrics(t)
		for resource, metric := range collectortest.MetricsByResource(metrics) {
			if metric.Name() == "gen_ai.client.operation.duration" {
				instance, _ := resource.Attributes().Get("service.instance.id")
				assert.Equal(t, "gateway-7", instance.AsString())
			}
		}
		return metrics
	})
}
