// SPDX-License-Identifier: Apache-2.0

package conformanceconnector

import (
	"strconv"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

const batch = 1000

func BenchmarkTraces(b *testing.B) {
	for _, name := range []string{"Comp/Do", "module.do_something"} {
		b.Run(name, func(b *testing.B) {
			s, tr := newTestState(b, nil), newTree(newRand(1))
			rs := tr.td.ResourceSpans().AppendEmpty()
			rs.Resource().Attributes().PutStr("service.name", "shop")
			spans := rs.ScopeSpans().AppendEmpty().Spans()
			for i := range batch {
				span := spans.AppendEmpty()
				span.SetName(name)
				span.SetTraceID(tr.trace)
				span.SetSpanID(newSpanID(tr.rng))
				for k := range 8 {
					span.Attributes().PutInt("tc.key.a"+strconv.Itoa(k), int64(i))
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				for i := range spans.Len() { // a new trace every ten spans
					if i%10 == 0 {
						tr.trace = newTraceID(tr.rng)
					}
					spans.At(i).SetTraceID(tr.trace)
				}
				s.judgeTraces(tr.td)
				s.judgeAll()
			}
			perItem(b)
		})
	}
}

// BenchmarkSampledTraces sends more traces than there is room for, so that few are judged.
func BenchmarkSampledTraces(b *testing.B) {
	s, tr := newTestState(b, func(c *Config) { c.MaxTraces, c.MaxSpans = 1000, 5000 }), newTree(newRand(1))
	rs := tr.td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "shop")
	spans := rs.ScopeSpans().AppendEmpty().Spans()
	for i := range batch {
		span := spans.AppendEmpty()
		span.SetName("Comp/Do")
		span.SetSpanID(newSpanID(tr.rng))
		for k := range 8 {
			span.Attributes().PutInt("tc.key.a"+strconv.Itoa(k), int64(i))
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		for i := range spans.Len() {
			if i%10 == 0 {
				tr.trace = newTraceID(tr.rng)
			}
			spans.At(i).SetTraceID(tr.trace)
		}
		s.judgeTraces(tr.td)
	}
	perItem(b)
}

func BenchmarkMetrics(b *testing.B) {
	s, md := newTestState(b, nil), pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", "shop")
	metrics := rm.ScopeMetrics().AppendEmpty().Metrics()
	for i := range batch / 10 {
		m := metrics.AppendEmpty()
		m.SetName("tc_metric_" + strconv.Itoa(i))
		points := m.SetEmptyGauge().DataPoints()
		for p := range 10 {
			attrs := points.AppendEmpty().Attributes()
			for k := range 4 {
				attrs.PutStr("tc.key.a"+strconv.Itoa(k), strconv.Itoa(p))
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		s.judgeMetrics(md)
	}
	perItem(b)
}

func BenchmarkLogs(b *testing.B) {
	s, ld := newTestState(b, nil), plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", "shop")
	records := rl.ScopeLogs().AppendEmpty().LogRecords()
	rng := newRand(1)
	for range batch {
		record := records.AppendEmpty()
		record.SetTraceID(newTraceID(rng))
		for k := range 4 {
			record.Attributes().PutStr("tc.key.a"+strconv.Itoa(k), "v")
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		s.judgeLogs(ld)
	}
	perItem(b)
}

func perItem(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/batch, "ns/item")
}
