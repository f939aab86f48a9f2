// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/metadata"
)

// BenchmarkOwnership processes one request of 512 items with names and keys as SDKs send them: of nobody, so
// that they pass, and of a pack, which renames them.
func BenchmarkOwnership(b *testing.B) {
	attributes := func(m pcommon.Map) {
		for _, key := range []string{"http.request.method", "url.path", "server.address", "network.protocol.version", "user_agent.original"} {
			m.PutStr(key, "value")
		}
	}
	td, md := ptrace.NewTraces(), pmetric.NewMetrics()
	rs, rm := td.ResourceSpans().AppendEmpty(), md.ResourceMetrics().AppendEmpty()
	spans, metrics := rs.ScopeSpans().AppendEmpty().Spans(), rm.ScopeMetrics().AppendEmpty().Metrics()
	names := make([]string, items)
	for i := range items {
		names[i] = fmt.Sprintf("shop.handle_%c", 'a'+i%20)
		attributes(spans.AppendEmpty().Attributes())
	}
	for range items / 16 {
		sum := metrics.AppendEmpty().SetEmptySum()
		sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		for range 16 {
			attributes(sum.DataPoints().AppendEmpty().Attributes())
		}
	}
	cfg := defaultConfig()
	cfg.KeepOriginal = false // the batch is processed again
	for _, variant := range []struct{ name, service string }{{"of nobody", "shop"}, {"of a pack", "tuft"}} {
		rs.Resource().Attributes().PutStr("service.name", variant.service)
		rm.Resource().Attributes().PutStr("service.name", variant.service)
		set := processortest.NewNopSettings(metadata.Type)
		b.Run("traces/"+variant.name, func(b *testing.B) {
			p, err := NewFactory().CreateTraces(b.Context(), set, cfg, consumertest.NewNop())
			require.NoError(b, err)
			require.NoError(b, p.Start(b.Context(), componenttest.NewNopHost()))
			for b.Loop() {
				for i, span := range spans.All() {
					span.SetName(names[i])
				}
				_ = p.ConsumeTraces(b.Context(), td)
			}
			perItem(b)
		})
		b.Run("metrics/"+variant.name, func(b *testing.B) {
			p, err := NewFactory().CreateMetrics(b.Context(), set, cfg, consumertest.NewNop())
			require.NoError(b, err)
			require.NoError(b, p.Start(b.Context(), componenttest.NewNopHost()))
			for b.Loop() {
				for i, m := range metrics.All() {
					m.SetName(names[i%20] + "_total")
				}
				_ = p.ConsumeMetrics(b.Context(), md)
			}
			perItem(b)
		})
	}
}
