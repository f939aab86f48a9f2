// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
)

// TestChangedIDs checks that counters whose ids change with the packs start anew, and that no increment counts twice: while
// order is an id, the two streams are one series.
func TestChangedIDs(t *testing.T) {
	policyOf := func(ids bool) *policy.Policy {
		key := map[bool]string{true: "order", false: "another"}[ids]
		pack, err := conventions.Parse("shop.yaml", fmt.Appendf(nil, "system: shop\nowns: {metrics: [shop_*]}\nattributes: [{key: %s, id: true}]\n", key))
		require.NoError(t, err)
		return policy.Of(*policy.NewDefaultConfig(), []*conventions.Pack{pack})
	}
	p, err := newProcessor(processortest.NewNopSettings(NewFactory().Type()), createDefaultConfig().(*Config))
	require.NoError(t, err)
	live := policy.NewLive(policyOf(false))
	require.NoError(t, p.goBy(pipetest.HostOf(live)))

	start, now := pcommon.NewTimestampFromTime(time.Now().Add(-time.Hour)), time.Now()
	type sent struct {
		value int64
		start pcommon.Timestamp
	}
	last := map[string]sent{}
	send := func(values ...int64) map[string]int64 {
		now = now.Add(time.Second)
		md := pmetric.NewMetrics()
		m := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
		m.SetName("shop_orders")
		sum := m.SetEmptySum()
		sum.SetIsMonotonic(true)
		sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		for i, value := range values {
			dp := sum.DataPoints().AppendEmpty()
			dp.SetStartTimestamp(start)
			dp.SetTimestamp(pcommon.NewTimestampFromTime(now))
			dp.SetIntValue(value)
			dp.Attributes().PutInt("order", int64(i))
		}
		_, err := p.process(t.Context(), md)
		require.NoError(t, err)
		got := map[string]int64{}
		for _, dp := range m.Sum().DataPoints().All() {
			key := fmt.Sprint(dp.Attributes().AsRaw())
			if before, ok := last[key]; ok && dp.IntValue() < before.value {
				assert.Greater(t, dp.StartTimestamp(), before.start, "%s goes backwards without a reset", key)
			}
			last[key] = sent{dp.IntValue(), dp.StartTimestamp()}
			got[key] = dp.IntValue()
		}
		return got
	}
	assert.Equal(t, map[string]int64{"map[order:0]": 10, "map[order:1]": 20}, send(10, 20))
	require.NoError(t, live.Change(policyOf(true)))
	assert.Equal(t, map[string]int64{"map[]": 0}, send(12, 22), "a baseline")
	assert.Equal(t, map[string]int64{"map[]": 7}, send(15, 26))
	// Other packs with the same ids change nothing.
	require.NoError(t, live.Change(policyOf(true)))
	assert.Equal(t, map[string]int64{"map[]": 9}, send(16, 27))
	require.NoError(t, live.Change(policyOf(false)))
	first, second := send(17, 28), send(18, 30)
	assert.Equal(t, int64(1), second["map[order:0]"]-first["map[order:0]"])
	assert.Equal(t, int64(2), second["map[order:1]"]-first["map[order:1]"])
}
