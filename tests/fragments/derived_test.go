// SPDX-License-Identifier: Apache-2.0

package fragments

import (
	"fmt"
	"maps"
	"regexp"
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
)

// The metrics of spans say what the spans say that came out, to the byte, whoever sends
// them at the same time. They have the attributes that they are to have, and no other.
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

// spanMetric is one of the metrics that builtin:dev makes of spans.
type spanMetric struct {
	name      string
	namespace string         // that the spans are of; "" is any
	spans     *regexp.Regexp // their names; nil is any
	need      string         // an attribute that they have
	sized     bool           // tc.size.bytes is what counts, and can be counted
	labels    []string
}

var (
	transferring = regexp.MustCompile(`^(StoreEngine/P2PIngest|P2P/ChunkRecv|P2P/DirectWrite)$`)
	spanMetrics  = []spanMetric{
		{name: "tc_p2p_transfer_bytes", spans: transferring, sized: true, labels: []string{"span.name", "status.code"}},
		{name: "tc_p2p_transfer_duration", spans: transferring, sized: true, labels: []string{"span.name", "status.code"}},
		{name: "tc_artifact_load_client_duration", spans: regexp.MustCompile(`^Client/Load`), labels: []string{"span.name", "status.code"}},
		{name: "tc_rpc_call_duration", namespace: "tensorcast", need: "rpc.method", labels: []string{"rpc.grpc.status_code", "rpc.method", "rpc.service", "rpc.system", "span.kind", "status.code"}},
		{name: "tc_tuft_operation_duration", spans: regexp.MustCompile(`^(Training(Controller|Backend)|SamplingBackend)/`), labels: []string{"span.name", "status.code", "tuft.base_model"}},
		{name: "tc_fastdeploy_processing_duration", spans: regexp.MustCompile(`^FastDeploy/(Pre|Post)processing$`), labels: []string{"span.name", "status.code"}},
		{name: "tc_pytango_call_duration", namespace: "tango", labels: []string{"span.kind", "span.name", "status.code"}},
	}
)

// measured is what the spans of one series are together.
type measured struct {
	spans   uint64
	bytes   float64
	seconds float64
}

// series are what was measured, by metric, service and attributes.
type series map[string]measured

// bytes of all series.
func (s series) bytes() float64 {
	var all float64
	for _, m := range s {
		all += m.bytes
	}
	return all
}

// measure measures spans as the metrics should.
func measure(traces ptrace.Traces) series {
	all := series{}
	for resource, span := range collectortest.SpansByResource(traces) {
		for _, m := range spanMetrics {
			if m.measures(resource, span) {
				all.add(m, resource, span)
			}
		}
	}
	return all
}

func (m spanMetric) measures(resource pcommon.Resource, span ptrace.Span) bool {
	if span.EndTimestamp() < span.StartTimestamp() || span.StartTimestamp().AsTime().Year() <= 2000 {
		return false
	}
	if m.namespace != "" {
		if namespace, ok := resource.Attributes().Get("service.namespace"); !ok || namespace.Str() != m.namespace {
			return false
		}
	}
	if m.need != "" {
		if _, ok := span.Attributes().Get(m.need); !ok {
			return false
		}
	}
	if m.sized {
		if size, ok := span.Attributes().Get("tc.size.bytes"); !ok || size.Type() != pcommon.ValueTypeInt || size.Int() < 0 {
			return false
		}
	}
	return m.spans == nil || m.spans.MatchString(span.Name())
}

func (s series) add(m spanMetric, resource pcommon.Resource, span ptrace.Span) {
	attributes := pcommon.NewMap()
	span.Attributes().CopyTo(attributes)
	attributes.PutStr("span.name", span.Name())
	attributes.PutStr("span.kind", "SPAN_KIND_"+strings.ToUpper(span.Kind().String()))
	attributes.PutStr("status.code", "STATUS_CODE_"+strings.ToUpper(span.Status().Code().String()))
	attributes.RemoveIf(func(key string, _ pcommon.Value) bool { return !slices.Contains(m.labels, key) })
	services := pcommon.NewMap()
	resource.Attributes().CopyTo(services)
	services.RemoveIf(func(key string, _ pcommon.Value) bool { return key != "service.name" && key != "service.namespace" })

	key := seriesKey(m.name, services, attributes)
	total := s[key]
	if m.name == "tc_p2p_transfer_bytes" {
		size, _ := span.Attributes().Get("tc.size.bytes")
		total.bytes += float64(size.Int())
	} else {
		total.spans++
		total.seconds += span.EndTimestamp().AsTime().Sub(span.StartTimestamp().AsTime()).Seconds()
	}
	s[key] = total
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
