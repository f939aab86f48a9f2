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

// Each benchmark processes one request of 512 items repeatedly: a conformant one, and one whose names
// change and are known after the first iteration.

const items = 512

func fillAttributes(m pcommon.Map, n int) {
	for i := range n {
		m.PutStr(fmt.Sprintf("tc.attribute.number_%d", i), "value")
	}
}

func perItem(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/items, "ns/item")
}

func BenchmarkTraces(b *testing.B) {
	for _, attributes := range []int{5, 10} {
		for _, name := range []string{"StoreDaemon/MaterializeReplica", "training_controller.run_forward"} {
			b.Run(fmt.Sprintf("%d attributes/%s", attributes, name), func(b *testing.B) {
				td := ptrace.NewTraces()
				rs := td.ResourceSpans().AppendEmpty()
				rs.Resource().Attributes().PutStr("service.name", "tuft")
				spans := rs.ScopeSpans().AppendEmpty().Spans()
				for range items {
					fillAttributes(spans.AppendEmpty().Attributes(), attributes)
				}
				p, err := NewFactory().CreateTraces(b.Context(), processortest.NewNopSettings(metadata.Type), createDefaultConfig(), consumertest.NewNop())
				require.NoError(b, err)
				require.NoError(b, p.Start(b.Context(), componenttest.NewNopHost()))
				b.ReportAllocs()
				for b.Loop() {
					for _, span := range spans.All() {
						span.SetName(name)
					}
					_ = p.ConsumeTraces(b.Context(), td)
				}
				perItem(b)
			})
		}
	}
}

func BenchmarkMetrics(b *testing.B) {
	for _, attributes := range []int{5, 10} {
		for _, name := range []string{"tc_tuft_futures_created", "tuft.futures.created"} {
			b.Run(fmt.Sprintf("%d attributes/%s", attributes, name), func(b *testing.B) {
				md := pmetric.NewMetrics()
				rm := md.ResourceMetrics().AppendEmpty()
				rm.Resource().Attributes().PutStr("service.name", "tuft")
				metrics := rm.ScopeMetrics().AppendEmpty().Metrics()
				for range items / 16 {
					sum := metrics.AppendEmpty().SetEmptySum()
					sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
					points := sum.DataPoints()
					for range 16 {
						fillAttributes(points.AppendEmpty().Attributes(), attributes)
					}
				}
				p, err := NewFactory().CreateMetrics(b.Context(), processortest.NewNopSettings(metadata.Type), createDefaultConfig(), consumertest.NewNop())
				require.NoError(b, err)
				require.NoError(b, p.Start(b.Context(), componenttest.NewNopHost()))
				b.ReportAllocs()
				for b.Loop() {
					for _, m := range metrics.All() {
						m.SetName(name)
					}
					_ = p.ConsumeMetrics(b.Context(), md)
				}
				perItem(b)
			})
		}
	}
}

func BenchmarkLogs(b *testing.B) {
	for _, attributes := range []int{5, 10} {
		b.Run(fmt.Sprintf("%d attributes", attributes), func(b *testing.B) {
			ld := plog.NewLogs()
			rl := ld.ResourceLogs().AppendEmpty()
			rl.Resource().Attributes().PutStr("service.name", "tuft")
			records := rl.ScopeLogs().AppendEmpty().LogRecords()
			for range items {
				fillAttributes(records.AppendEmpty().Attributes(), attributes)
			}
			p, err := NewFactory().CreateLogs(b.Context(), processortest.NewNopSettings(metadata.Type), createDefaultConfig(), consumertest.NewNop())
			require.NoError(b, err)
			require.NoError(b, p.Start(b.Context(), componenttest.NewNopHost()))
			b.ReportAllocs()
			for b.Loop() {
				_ = p.ConsumeLogs(b.Context(), ld)
			}
			perItem(b)
		})
	}
}
