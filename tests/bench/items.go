// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	started = pcommon.Timestamp(1_795_000_000_000_000_000)
	ended   = started + 1_000_000
)

func traceID(n int) pcommon.TraceID { return pcommon.TraceID{0: 0x5b, 14: byte(n >> 8), 15: byte(n)} }
func spanID(n int) pcommon.SpanID   { return pcommon.SpanID{0: 0x7c, 6: byte(n >> 8), 7: byte(n)} }

// newMetrics spreads the points over the sources and their metrics. All are
// numbers: of all points they are the cheapest to decode, which leaves a
// processor the least to hide behind.
func newMetrics(from []source, attributes int) pmetric.Metrics {
	md := pmetric.NewMetrics()
	for s, src := range from {
		points := src.appendMetrics(md)
		for n := s; n < itemsPerRequest; n += len(from) {
			point := points[n/len(from)%len(points)].AppendEmpty()
			point.SetStartTimestamp(started)
			point.SetTimestamp(ended)
			point.SetIntValue(int64(n))
			src.fill(point.Attributes(), attributes, n)
		}
	}
	return md
}

// appendMetrics adds the source to a metric load, and returns where the points of its metrics
// go.
func (s source) appendMetrics(md pmetric.Metrics) (points []pmetric.NumberDataPointSlice) {
	rm := md.ResourceMetrics().AppendEmpty()
	s.describe(rm.Resource())
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.Scope().SetName(s.Scope)
	for _, it := range s.Items {
		metric := sm.Metrics().AppendEmpty()
		metric.SetName(it.Name)
		metric.SetUnit(it.Unit)
		metric.SetDescription("What " + it.Name + " says.")
		if !it.Counter {
			points = append(points, metric.SetEmptyGauge().DataPoints())
			continue
		}
		sum := metric.SetEmptySum()
		sum.SetIsMonotonic(true)
		sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		points = append(points, sum.DataPoints())
	}
	return points
}

func newTraces(from []source, attributes int) ptrace.Traces {
	td := ptrace.NewTraces()
	for s, src := range from {
		spans := src.appendTo(td)
		for n := s; n < itemsPerRequest; n += len(from) {
			span := spans.AppendEmpty()
			span.SetName(src.item(n, len(from)).Name)
			span.SetKind(ptrace.SpanKindInternal)
			span.SetTraceID(traceID(n / spansPerTrace))
			span.SetSpanID(spanID(n))
			span.SetParentSpanID(spanID(n / spansPerTrace * spansPerTrace))
			span.SetStartTimestamp(started)
			span.SetEndTimestamp(ended)
			src.fill(span.Attributes(), attributes, n)
		}
	}
	return td
}

// appendTo adds the source to a trace load, and returns where its spans go.
func (s source) appendTo(td ptrace.Traces) ptrace.SpanSlice {
	rs := td.ResourceSpans().AppendEmpty()
	s.describe(rs.Resource())
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName(s.Scope)
	return ss.Spans()
}

func newLogs(from []source, attributes int) plog.Logs {
	ld := plog.NewLogs()
	for s, src := range from {
		rl := ld.ResourceLogs().AppendEmpty()
		src.describe(rl.Resource())
		sl := rl.ScopeLogs().AppendEmpty()
		sl.Scope().SetName(src.Scope)
		for n := s; n < itemsPerRequest; n += len(from) {
			record := sl.LogRecords().AppendEmpty()
			record.SetTimestamp(ended)
			record.SetObservedTimestamp(ended)
			record.SetSeverityNumber(plog.SeverityNumberInfo)
			record.SetSeverityText("INFO")
			record.Body().SetStr(src.item(n, len(from)).Name)
			record.SetTraceID(traceID(n / spansPerTrace))
			record.SetSpanID(spanID(n))
			src.fill(record.Attributes(), attributes, n)
		}
	}
	return ld
}
