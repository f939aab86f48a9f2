// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

// churn is a page of counters without start times that is scraped every 15 seconds. Each scrape
// has new ids, which stay for three scrapes and count to 3.
type churn struct {
	each  int // new ids of a scrape
	looks int
	at    time.Time
	ids   []string // of all ids, made before the time is measured
}

const idsLive = 3

func newChurn(ids, each int) *churn {
	c := &churn{each: each, at: time.Now()}
	for i := range ids {
		c.ids = append(c.ids, fmt.Sprintf("artifact-%08d", i))
	}
	return c
}

// scrape returns the next scrape, and what it counted.
func (c *churn) scrape() (md pmetric.Metrics, counted int) {
	c.at = c.at.Add(15 * time.Second)
	now := pcommon.NewTimestampFromTime(c.at)
	md, up := emptyMetric("s", "up")
	dp := up.SetEmptyGauge().DataPoints().AppendEmpty()
	dp.SetDoubleValue(1)
	dp.SetTimestamp(now)
	m := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().AppendEmpty()
	m.SetName("tc_replica_register_total")
	m.SetEmptySum().SetIsMonotonic(true)
	m.Sum().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	points := m.Sum().DataPoints()
	first := max(0, c.looks-idsLive) * c.each
	last := min(c.looks*c.each, len(c.ids))
	points.EnsureCapacity(last - first)
	for i := first; i < last; i++ {
		dp := points.AppendEmpty()
		dp.Attributes().EnsureCapacity(3)
		dp.Attributes().PutStr("component", "StoreDaemon")
		dp.Attributes().PutInt("device", 1)
		dp.Attributes().PutStr("id", c.ids[i])
		dp.SetIntValue(int64(c.looks - i/c.each))
		dp.SetTimestamp(now)
		counted++
	}
	c.looks++
	return md, counted
}

// TestMillionIds checks that a million ids that come and go within ten minutes count exactly in
// the agent's 64 MiB.
func TestMillionIds(t *testing.T) {
	soak.Sequential(t)
	synctest.Test(t, func(t *testing.T) {
		const ids, looks, mib = 1_000_000, 40, 64
		telemetry := componenttest.NewTelemetry()
		r := newRig(t, func(cfg *Config) { cfg.MemoryLimitMib = mib })
		r.countInto(telemetry)
		c := newChurn(ids, ids/looks)
		ctx := scrapeOf(t.Context(), "a:1")
		counted, last := 0, int64(0)
		for range looks + 1 {
			time.Sleep(15 * time.Second)
			md, n := c.scrape()
			out, err := r.p.process(ctx, md)
			require.NoError(t, err)
			if counted += n; n > 0 {
				points := out.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(1).Sum().DataPoints()
				require.Equal(t, 1, points.Len())
				last = points.At(0).IntValue()
				require.Equal(t, int64(counted), last)
			}
			require.Less(t, r.p.store.Memory.Used.Load(), int64(mib<<20/2))
			r.expireAll()
		}
		assert.Equal(t, int64(counted), last)
		assert.Empty(t, labelled(t, telemetry, "otelcol_cardinality_untracked_points", "outcome"))
	})
}

// TestMoreIdsThanMemory checks that an overflow goes on counting when more ids live than there
// is memory for: exactly while no id leaves, and never too much.
func TestMoreIdsThanMemory(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.MemoryLimitMib = 1 })
	ctx := scrapeOf(t.Context(), "a:1")
	const ids = 20_000
	value := func(look, ids int, each int) int64 {
		var points []pt
		for i := range ids {
			points = append(points, pt{fmt.Sprint("id=", i), 0, float64(10 * (look + 1)), each})
		}
		out, err := r.p.process(ctx, r.scrape(float64(10*(look+1)), 1, r.counters(points...)))
		require.NoError(t, err)
		all := out.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(1).Sum().DataPoints()
		require.Equal(t, 1, all.Len())
		return all.At(0).IntValue()
	}
	assert.Equal(t, int64(0), value(0, 1, 7)) // a baseline
	assert.Equal(t, int64(ids-1)*8+1, value(1, ids, 8))
	assert.Less(t, r.streamCount(), ids)
	for look := 2; look < 6; look++ {
		assert.Equal(t, int64(ids-1)*8+1+int64(look-1)*ids, value(look, ids, 7+look))
	}
	counted := value(6, ids, 13)
	assert.LessOrEqual(t, value(7, ids/2, 14), counted+ids/2)
	assert.Less(t, r.p.store.Memory.Used.Load(), int64(1<<20))
}
