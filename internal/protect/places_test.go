// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
)

// batch has one item of each kind in each signal.
type batch struct {
	traces  ptrace.Traces
	logs    plog.Logs
	metrics pmetric.Metrics
}

// protected returns the batch after a walk, as it is sent.
func (b batch) protected(t testing.TB, p *content.Policy) string {
	t.Helper()
	count := func(*content.Rule, content.Action, int64) {}
	New(p, count).Traces(b.traces)
	New(p, count).Logs(b.logs)
	New(p, count).Metrics(b.metrics)
	return b.sent(t)
}

func (b batch) sent(t testing.TB) string {
	t.Helper()
	spans, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(b.traces)
	require.NoError(t, err)
	records, err := (&plog.ProtoMarshaler{}).MarshalLogs(b.logs)
	require.NoError(t, err)
	points, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(b.metrics)
	require.NoError(t, err)
	return string(spans) + string(records) + string(points)
}

// place is where attributes are.
type place struct {
	name string
	at   func(batch) pcommon.Map
}

func spanOf(b batch) ptrace.Span {
	return b.traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
}

func recordOf(b batch) plog.LogRecord {
	return b.logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
}

func metricOf(b batch, i int) pmetric.Metric {
	return b.metrics.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(i)
}

// deep returns a map inside a list inside a map.
func deep(outer pcommon.Map) pcommon.Map {
	return outer.PutEmptyMap("outer").PutEmptySlice("list").AppendEmpty().SetEmptyMap().PutEmptyMap("inner")
}

var places = []place{
	{"resource of spans", func(b batch) pcommon.Map { return b.traces.ResourceSpans().At(0).Resource().Attributes() }},
	{"resource of logs", func(b batch) pcommon.Map { return b.logs.ResourceLogs().At(0).Resource().Attributes() }},
	{"resource of metrics", func(b batch) pcommon.Map { return b.metrics.ResourceMetrics().At(0).Resource().Attributes() }},
	{"scope of spans", func(b batch) pcommon.Map {
		return b.traces.ResourceSpans().At(0).ScopeSpans().At(0).Scope().Attributes()
	}},
	{"scope of logs", func(b batch) pcommon.Map { return b.logs.ResourceLogs().At(0).ScopeLogs().At(0).Scope().Attributes() }},
	{"scope of metrics", func(b batch) pcommon.Map {
		return b.metrics.ResourceMetrics().At(0).ScopeMetrics().At(0).Scope().Attributes()
	}},
	{"span", func(b batch) pcommon.Map { return spanOf(b).Attributes() }},
	{"span, deep", func(b batch) pcommon.Map { return deep(spanOf(b).Attributes()) }},
	{"event", func(b batch) pcommon.Map { return spanOf(b).Events().At(0).Attributes() }},
	{"event, deep", func(b batch) pcommon.Map { return deep(spanOf(b).Events().At(0).Attributes()) }},
	{"link", func(b batch) pcommon.Map { return spanOf(b).Links().At(0).Attributes() }},
	{"record", func(b batch) pcommon.Map { return recordOf(b).Attributes() }},
	{"record, deep", func(b batch) pcommon.Map { return deep(recordOf(b).Attributes()) }},
	{"body", func(b batch) pcommon.Map { return recordOf(b).Body().SetEmptyMap() }},
	{"body, deep", func(b batch) pcommon.Map { return deep(recordOf(b).Body().SetEmptyMap()) }},
	{"body, in a list", func(b batch) pcommon.Map { return recordOf(b).Body().SetEmptySlice().AppendEmpty().SetEmptyMap() }},
	{"gauge", func(b batch) pcommon.Map { return metricOf(b, 0).Gauge().DataPoints().At(0).Attributes() }},
	{"sum", func(b batch) pcommon.Map { return metricOf(b, 1).Sum().DataPoints().At(0).Attributes() }},
	{"histogram", func(b batch) pcommon.Map { return metricOf(b, 2).Histogram().DataPoints().At(0).Attributes() }},
	{"exponential histogram", func(b batch) pcommon.Map {
		return metricOf(b, 3).ExponentialHistogram().DataPoints().At(0).Attributes()
	}},
	{"summary", func(b batch) pcommon.Map { return metricOf(b, 4).Summary().DataPoints().At(0).Attributes() }},
	{"exemplar", func(b batch) pcommon.Map {
		return metricOf(b, 2).Histogram().DataPoints().At(0).Exemplars().At(0).FilteredAttributes()
	}},
	{"metadata", func(b batch) pcommon.Map { return metricOf(b, 0).Metadata() }},
}

func newBatch() batch {
	b := batch{ptrace.NewTraces(), plog.NewLogs(), pmetric.NewMetrics()}
	span := b.traces.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetName("chat")
	span.Events().AppendEmpty().SetName("event")
	span.Links().AppendEmpty()
	b.logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr("line")
	metrics := b.metrics.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics()
	metrics.AppendEmpty().SetEmptyGauge().DataPoints().AppendEmpty().SetIntValue(1)
	metrics.AppendEmpty().SetEmptySum().DataPoints().AppendEmpty().SetIntValue(1)
	metrics.AppendEmpty().SetEmptyHistogram().DataPoints().AppendEmpty().Exemplars().AppendEmpty().SetIntValue(1)
	metrics.AppendEmpty().SetEmptyExponentialHistogram().DataPoints().AppendEmpty()
	metrics.AppendEmpty().SetEmptySummary().DataPoints().AppendEmpty()
	return b
}

// shape is a value with a text in it.
type shape struct {
	name string
	set  func(v pcommon.Value, text string)
}

var shapes = []shape{
	{"text", func(v pcommon.Value, text string) { v.SetStr(text) }},
	{"JSON", func(v pcommon.Value, text string) {
		v.SetStr(`[{"role":"user","parts":[{"type":"text","content":"` + text + `"}]}]`)
	}},
	{"texts", func(v pcommon.Value, text string) { v.SetEmptySlice().AppendEmpty().SetStr(text) }},
	{"maps", func(v pcommon.Value, text string) {
		v.SetEmptySlice().AppendEmpty().SetEmptyMap().PutStr("content", text)
	}},
	{"map", func(v pcommon.Value, text string) { v.SetEmptyMap().PutEmptyMap("parts").PutStr("x", text) }},
	{"bytes", func(v pcommon.Value, text string) { v.SetEmptyBytes().FromRaw([]byte(text)) }},
}
