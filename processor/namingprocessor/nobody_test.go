// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// TestNobodysNamesHaveNoBudget checks that names that pass neither count for max_names nor are folded.
func TestNobodysNamesHaveNoBudget(t *testing.T) {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "shop")
	spans := rs.ScopeSpans().AppendEmpty().Spans()
	names := []string{"Shop/One", "Shop/Two", "Shop/Three", "GET /a", "GET /b", "chat a", "chat b", "x", "y"}
	for _, name := range names {
		spans.AppendEmpty().SetName(name)
	}
	cfg := defaultConfig()
	cfg.MaxNames = 1
	out, _ := consumeTracesAt(t, hostWith(t, "{}"), cfg, td)
	for i, span := range out.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		assert.Equal(t, names[i], span.Name())
	}
}

// TestNobodysMetricWinsItsName checks that a metric that keeps its name is neither merged with the metric of
// a pack that gets the same name, nor converted or marked, whichever comes first.
func TestNobodysMetricWinsItsName(t *testing.T) {
	for _, order := range [][]string{{"tc_tuft_wait", "tuft.wait"}, {"tuft.wait", "tc_tuft_wait"}} {
		p, sink := startMetricsAt(t, hostWith(t, `packs: [testdata/own_pack/tuft_by_name.yaml]`), defaultConfig())
		for range 2 { // the first batch decides too
			for _, name := range order {
				require.NoError(t, p.ConsumeMetrics(t.Context(), counterOf(name)))
			}
			both := counterOf(order[0])
			counterOf(order[1]).ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().
				MoveAndAppendTo(both.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics())
			require.NoError(t, p.ConsumeMetrics(t.Context(), both))
		}
		for i, md := range sink.AllMetrics() {
			for _, m := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
				if m.Name() == "tc_tuft_wait" && i > 0 {
					assert.Equal(t, 1, m.Sum().DataPoints().Len())
					assert.Equal(t, 0, m.Metadata().Len())
					assert.Equal(t, 1, m.Sum().DataPoints().At(0).Attributes().Len())
				}
			}
		}
		last := sink.AllMetrics()[len(sink.AllMetrics())-1].ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics()
		require.Equal(t, 2, last.Len())
		assert.ElementsMatch(t, order, []string{last.At(0).Name(), last.At(1).Name()})
	}
}

// counterOf returns a batch with a counter of a service that no pack owns.
func counterOf(name string) pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", "shop")
	m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName(name)
	m.SetUnit("s")
	sum := m.SetEmptySum()
	sum.SetIsMonotonic(true)
	sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	point := sum.DataPoints().AppendEmpty()
	point.SetTimestamp(pcommon.Timestamp(1))
	point.Attributes().PutStr("base_model", "qwen")
	return md
}
