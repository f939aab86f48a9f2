// SPDX-License-Identifier: Apache-2.0

package fragments

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// The metrics of spans say what the spans say, to the byte, whoever sends them at the same time. They have the
// attributes that they are to have, and no other.
func TestMetricsOfSpans(t *testing.T) {
	t.Parallel()
	c := collectortest.Start(t, collectortest.Options{})
	start := time.Now()
	// Of these nothing can be said, and one has a size that no integer could add up.
	odd := payload.Read(t, "testdata/odd", start).Traces
	collectortest.PostTraces(t, c, odd)
	spans := odd.SpanCount()
	t.Run("send", func(t *testing.T) {
		for _, name := range scenario.Names() {
			generator, err := scenario.New(name, tcgen.Seed, start)
			require.NoError(t, err)
			for i := range tcgen.Scenarios {
				batch := generator.Next(start.Add(time.Duration(i) * time.Second))
				spans += batch.Traces.SpanCount()
				t.Run(fmt.Sprint(name, i), func(t *testing.T) {
					t.Parallel()
					collectortest.PostTraces(t, c, batch.Traces)
				})
			}
		}
	})
	collectortest.AwaitSpans(t, c, spans)
	// Of the two largest of the odd ones, and of the transfers of the scenarios.
	const want float64 = 1<<63 + 213_909_504
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		shown := collectortest.Sum(c.Scrape(t)["tc_p2p_transfer_bytes_total"], nil)
		return shown == want, fmt.Sprintf("%v of %v bytes on the page", shown, want)
	})
	require.Zero(t, c.Stop(t).Code)
	testfiles.Golden(t, "testdata/span_metrics.txt", accumulated(t, c.MetricsIn(t, "span_metrics.json")).String())
}

// Whatever a client calls its spans, there are no more series than budgets have room
// for, and what was measured adds up.
func TestMetricsOfHostileSpans(t *testing.T) {
	t.Parallel()
	const (
		requests, names = 4, 1000
		limit           = 500 // of a metric, in builtin:dev
	)
	c := collectortest.Start(t, collectortest.Options{})
	for i := range requests {
		collectortest.PostTraces(t, c, hostileCalls(i*names, names))
	}
	collectortest.AwaitSpans(t, c, requests*names)
	require.Zero(t, c.Stop(t).Code)
	got := accumulated(t, c.MetricsIn(t, "span_metrics.json"))
	assert.Len(t, got, 2*(limit+1), "series of two metrics, and one of each for the others")
	var counted uint64
	for _, m := range got {
		counted += m.spans
	}
	assert.EqualValues(t, requests*names, counted, "spans measured")
}

// hostileCalls are calls of so many methods and commands, each with ids of its own.
func hostileCalls(first, n int) ptrace.Traces {
	traces := ptrace.NewTraces()
	for _, namespace := range []string{"tensorcast", "tango"} {
		resource := traces.ResourceSpans().AppendEmpty()
		resource.Resource().Attributes().PutStr("service.name", "hostile")
		resource.Resource().Attributes().PutStr("service.namespace", namespace)
		spans := resource.ScopeSpans().AppendEmpty().Spans()
		for i := first; i < first+n/2; i++ {
			span := spans.AppendEmpty()
			span.SetName(fmt.Sprintf("Hostile/Call%d", i))
			span.SetTraceID(pcommon.TraceID{1, byte(i >> 8), byte(i)})
			span.SetSpanID(pcommon.SpanID{1, byte(len(namespace)), byte(i >> 8), byte(i)})
			span.SetStartTimestamp(payload.Timestamp())
			span.SetEndTimestamp(payload.Timestamp())
			span.Attributes().PutStr("rpc.method", span.Name())
			span.Attributes().PutStr("tc.artifact.id", fmt.Sprint(i))
			span.Attributes().PutStr("span.kind", fmt.Sprint(i)) // not the span's
		}
	}
	return traces
}

// measured is what the spans of one series are together.
type measured struct {
	spans   uint64
	bytes   float64
	seconds float64
}

// series are what was measured, by metric, service and attributes.
type series map[string]measured

// String has a line for each.
func (s series) String() string {
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&text, "%s: %d spans of %.9f s, %.0f bytes\n", key, s[key].spans, s[key].seconds, s[key].bytes)
	}
	return text.String()
}

func seriesKey(metric string, resource, attributes pcommon.Map) string {
	return fmt.Sprint(metric, " ", resource.AsRaw(), " ", attributes.AsRaw())
}

// accumulated returns the last points of counters, which never go down.
func accumulated(t *testing.T, metrics pmetric.Metrics) series {
	t.Helper()
	all := series{}
	grow := func(key string, now measured) {
		before := all[key]
		require.False(t, now.spans < before.spans || now.bytes < before.bytes || now.seconds < before.seconds, "%s goes down: %v, %v", key, before, now)
		all[key] = now
	}
	for resource, metric := range collectortest.MetricsByResource(metrics) {
		key := func(attributes pcommon.Map) string {
			return seriesKey(metric.Name(), resource.Attributes(), attributes)
		}
		if metric.Type() == pmetric.MetricTypeSum {
			require.Equal(t, "By", metric.Unit())
			require.True(t, metric.Sum().IsMonotonic())
			require.Equal(t, pmetric.AggregationTemporalityCumulative, metric.Sum().AggregationTemporality())
			for _, point := range metric.Sum().DataPoints().All() {
				grow(key(point.Attributes()), measured{bytes: point.DoubleValue()})
			}
			continue
		}
		require.Equal(t, "s", metric.Unit())
		require.Equal(t, pmetric.AggregationTemporalityCumulative, metric.Histogram().AggregationTemporality())
		for _, point := range metric.Histogram().DataPoints().All() {
			grow(key(point.Attributes()), measured{spans: point.Count(), seconds: point.Sum()})
		}
	}
	return all
}
