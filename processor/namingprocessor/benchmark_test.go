// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/metadata"
)

// items is the number of items of a request.
const items = 512

// BenchmarkConsume processes one request repeatedly: of a service that no pack owns, and of one that a pack owns, whose
// names and keys are known after the first iteration.
func BenchmarkConsume(b *testing.B) {
	td, md, ld := ptrace.NewTraces(), pmetric.NewMetrics(), plog.NewLogs()
	rs, rm, rl := td.ResourceSpans().AppendEmpty(), md.ResourceMetrics().AppendEmpty(), ld.ResourceLogs().AppendEmpty()
	spans, metrics, records := rs.ScopeSpans().AppendEmpty().Spans(), rm.ScopeMetrics().AppendEmpty().Metrics(), rl.ScopeLogs().AppendEmpty().LogRecords()
	attributes := func(m pcommon.Map) {
		for _, key := range []string{"http.request.method", "url.path", "server.address", "tc.attribute.number", "base_model"} {
			m.PutStr(key, "value")
		}
	}
	var names []string
	for i := range items {
		names = append(names, fmt.Sprintf("shop.handle_%c", 'a'+i%20))
		attributes(spans.AppendEmpty().Attributes())
		attributes(records.AppendEmpty().Attributes())
		if i%16 == 0 {
			metrics.AppendEmpty().SetEmptySum().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		}
		attributes(metrics.At(i / 16).Sum().DataPoints().AppendEmpty().Attributes())
	}
	cfg, set := defaultConfig(), processortest.NewNopSettings(metadata.Type)
	cfg.KeepOriginal = false // the request is processed again
	for _, service := range []string{"shop", "tuft"} {
		for _, resource := range []pcommon.Resource{rs.Resource(), rm.Resource(), rl.Resource()} {
			resource.Attributes().PutStr("service.name", service)
		}
		run := func(signal string, consume func()) {
			b.Run(signal+"/"+service, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					consume()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/items, "ns/item")
			})
		}
		ts, err := NewFactory().CreateTraces(b.Context(), set, cfg, consumertest.NewNop())
		require.NoError(b, err)
		require.NoError(b, ts.Start(b.Context(), componenttest.NewNopHost()))
		run("traces", func() {
			for i, span := range spans.All() {
				span.SetName(names[i])
			}
			_ = ts.ConsumeTraces(b.Context(), td)
		})
		ms, err := NewFactory().CreateMetrics(b.Context(), set, cfg, consumertest.NewNop())
		require.NoError(b, err)
		require.NoError(b, ms.Start(b.Context(), componenttest.NewNopHost()))
		run("metrics", func() {
			for i, m := range metrics.All() {
				m.SetName(names[i] + "_total")
			}
			_ = ms.ConsumeMetrics(b.Context(), md)
		})
		ls, err := NewFactory().CreateLogs(b.Context(), set, cfg, consumertest.NewNop())
		require.NoError(b, err)
		require.NoError(b, ls.Start(b.Context(), componenttest.NewNopHost()))
		run("logs", func() { _ = ls.ConsumeLogs(b.Context(), ld) })
	}
}
