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
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// The metrics of spans say what the spans say that came out, to the byte, whoever sends
// them at the same time. They have the attributes that they are to have, and no other.
func TestMetricsOfSpans(t *testing.T) {
	t.Parallel()
	c := collectortest.Start(t, collectortest.Options{})
	start, sent := time.Now(), oddTransfers()
	collectortest.PostTraces(t, c, sent)
	spans := sent.SpanCount()
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
	want := measure(c.Traces(t))
	var shown float64
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		shown = 0
		for _, metric := range c.Scrape(t)["tc_p2p_transfer_bytes_total"].GetMetric() {
			shown += metric.GetCounter().GetValue()
		}
		return shown == want.bytes(), fmt.Sprintf("%v of %v bytes on the page", shown, want.bytes())
	})
	require.Zero(t, c.Stop(t).Code)

	got := accumulated(t, c.MetricsIn(t, "span_metrics.json"))
	require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)), "series")
	for series, w := range want {
		g := got[series]
		assert.Equal(t, w.spans, g.spans, series)
		assert.Equal(t, w.bytes, g.bytes, series)
		assert.InDelta(t, w.seconds, g.seconds, 1e-6, series)
	}
	for _, m := range spanMetrics {
		assert.True(t, slices.ContainsFunc(slices.Collect(maps.Keys(want)), func(series string) bool {
			return strings.HasPrefix(series, m.name+" ")
		}), "no span is measured by %s", m.name)
	}
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
	want := measure(collectortest.AwaitSpans(t, c, requests*names))
	require.Zero(t, c.Stop(t).Code)

	var all, counted uint64
	for _, m := range want {
		all += m.spans
	}
	got := accumulated(t, c.MetricsIn(t, "span_metrics.json"))
	for _, m := range got {
		counted += m.spans
	}
	assert.Greater(t, len(want), 2*limit, "series that were asked for")
	assert.Len(t, got, 2*(limit+1), "series of two metrics, and one of each for the others")
	assert.Equal(t, all, counted, "spans measured")
}

// oddTransfers are spans that nothing can be said of, and one with a size that no
// integer could add up.
func oddTransfers() ptrace.Traces {
	traces := ptrace.NewTraces()
	resource := traces.ResourceSpans().AppendEmpty()
	resource.Resource().Attributes().PutStr("service.name", "tensorcast-store-daemon")
	resource.Resource().Attributes().PutStr("service.namespace", "tensorcast")
	spans := resource.ScopeSpans().AppendEmpty().Spans()
	now := time.Now()
	add := func(start, end time.Time, size any) {
		span := spans.AppendEmpty()
		span.SetName("P2P/ChunkRecv")
		span.SetTraceID(pcommon.TraceID{1})
		span.SetSpanID(pcommon.SpanID{1, byte(spans.Len())})
		span.SetStartTimestamp(pcommon.NewTimestampFromTime(start))
		span.SetEndTimestamp(pcommon.NewTimestampFromTime(end))
		if err := span.Attributes().PutEmpty("tc.size.bytes").FromRaw(size); err != nil {
			panic(err)
		}
	}
	add(now, now.Add(-time.Second), 1<<20)
	add(time.Unix(86400, 0), now, 1<<20)
	add(now, now.Add(time.Second), -1)
	add(now, now.Add(time.Second), "many")
	add(now, now.Add(time.Second), nil)
	add(now, now.Add(time.Second), int64(1<<62))
	add(now, now.Add(time.Second), int64(1<<62))
	return traces
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
