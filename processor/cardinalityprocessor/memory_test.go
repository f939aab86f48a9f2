// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

// requireBounded requires that the charged memory is not more than the limit and its reserve, but for the last
// service. tests/cardinality measures that the process takes no more than what is charged.
func (r *rig) requireBounded(what string) {
	r.t.Helper()
	memory := &r.p.store.Memory
	assert.NotZero(r.t, memory.Used.Load(), what)
	assert.LessOrEqual(r.t, memory.Used.Load(), memory.Limit+memory.Reserve+1024, what)
}

// TestMemoryOfHostileNames sends distinct names of services, resources, scopes, metrics, units, attributes and
// values, in more points than there is memory for.
func TestMemoryOfHostileNames(t *testing.T) {
	soak.Sequential(t)
	type request struct {
		resource pmetric.ResourceMetrics
		metric   pmetric.Metric
	}
	for name, put := range map[string]func(request, string){
		"services":  func(r request, text string) { r.resource.Resource().Attributes().PutStr("service.name", text) },
		"resources": func(r request, text string) { r.resource.Resource().Attributes().PutStr("host", text) },
		"scopes":    func(r request, text string) { r.resource.ScopeMetrics().At(0).Scope().SetName(text) },
		"metrics":   func(r request, text string) { r.metric.SetName(text) },
		"units":     func(r request, text string) { r.metric.SetUnit(text) },
		"keys":      func(r request, text string) { r.metric.Sum().DataPoints().At(0).Attributes().PutStr(text, "v") },
		"values":    func(r request, text string) { r.metric.Sum().DataPoints().At(0).Attributes().PutStr("user", text) },
		"ids":       func(r request, text string) { r.metric.Sum().DataPoints().At(0).Attributes().PutStr("id", text) },
	} {
		r := newRig(t, func(cfg *Config) {
			cfg.MemoryLimitMib, cfg.AttributeLimits, cfg.Limit, cfg.ServiceLimit = 1, map[string]int{"user": 1 << 30}, 1<<30, 0
		}, conventions.Builtins)
		for i := range 15_000 {
			md := r.counters(pt{"", 1, 10, 1})
			rm := md.ResourceMetrics().At(0)
			put(request{rm, rm.ScopeMetrics().At(0).Metrics().At(0)}, fmt.Sprint(strings.Repeat("x", 200), i))
			r.process(md)
		}
		r.requireBounded(name)
	}
}

// TestMemoryOfGrowingHistograms checks that streams whose histograms grow stay within the
// memory limit.
func TestMemoryOfGrowingHistograms(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.MemoryLimitMib = 4 })
	many := make([]float64, 400)
	for i := range many {
		many[i] = float64(i)
	}
	for at, bounds := range map[float64][]float64{10: nil, 20: many} {
		for i := range 100 {
			var points []hist
			for j := range 50 {
				points = append(points, hist{pt{fmt.Sprint("id=", 50*i+j), 1, at, nil}, bounds, []float64{1}})
			}
			r.process(r.histograms(pmetric.AggregationTemporalityCumulative, points...))
		}
	}
	r.requireBounded("histograms")
}

// TestMemoryIsReleased checks that expired series, streams, histograms and metrics release all memory, including
// their sketches.
func TestMemoryIsReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) {
			cfg.Limit, cfg.MaxStale, cfg.AttributeLimits = 2, time.Minute, map[string]int{"user": 1}
		})
		for i := range 10 {
			attrs := fmt.Sprint("user=", i, " id=", i)
			r.process(both(r.deltas(pt{attrs, 0, 10, 1}), r.counters(pt{attrs, 0, 10, 1}), r.gauges(pt{attrs, 0, 10, 1}),
				r.histograms(pmetric.AggregationTemporalityCumulative, hist{pt{attrs, 1, 10, nil}, []float64{1}, []float64{1}})))
		}
		time.Sleep(5 * time.Minute)
		r.expireAll()
		assert.Zero(t, r.p.store.Memory.Used.Load())
	})
}

// TestMemoryOfExpiredBursts checks that expired series release their memory while their
// metric remains.
func TestMemoryOfExpiredBursts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.MaxStale = time.Minute })
		used := func() int64 { return r.p.store.Memory.Used.Load() }
		r.process(r.deltas(pt{"id=0", 1, 10, 1}))
		var burst []pt
		for i := range 1000 {
			burst = append(burst, pt{fmt.Sprint("id=", i), 1, 20, 1})
		}
		r.process(r.deltas(burst...))
		most := used()
		for i := range 10 {
			time.Sleep(20 * time.Second)
			r.process(r.deltas(pt{"id=0", 1, float64(30 + i), 1}))
			r.expireAll()
		}
		assert.Less(t, used(), most/10)
		assert.Positive(t, used())
	})
}

// TestOneRequestOrMany checks that new metrics are admitted in one request as in many.
func TestOneRequestOrMany(t *testing.T) {
	f := func(requests int) (admitted int64) {
		const metrics = 3000
		r := plainRig(t, func(cfg *Config) { cfg.MemoryLimitMib = 1 })
		sent := 0
		for i := range requests {
			md := pmetric.NewMetrics()
			for j := range metrics / requests {
				r.sum("s", fmt.Sprint("m", i*metrics/requests+j), pmetric.AggregationTemporalityCumulative, true, []pt{{"", 1, 10, 1}}).
					ResourceMetrics().MoveAndAppendTo(md.ResourceMetrics())
			}
			sent += r.process(md).DataPointCount()
		}
		assert.Equal(t, metrics, sent)
		return r.series()
	}
	many := f(3000)
	assert.Equal(t, many, f(1))
	assert.Greater(t, many, int64(100))
	assert.Less(t, many, int64(3000)) // the memory is full
}

// TestRandomServiceNames checks that a sender with random service names neither takes the
// memory from other services nor makes anything be dropped.
func TestRandomServiceNames(t *testing.T) {
	soak.Sequential(t)
	telemetry := componenttest.NewTelemetry()
	r := newRig(t, func(cfg *Config) { cfg.MemoryLimitMib, cfg.Limit = 16, 1<<30 })
	r.countInto(telemetry)
	known := func(series int, second float64) pmetric.Metrics {
		var points []pt
		for i := range series {
			points = append(points, pt{fmt.Sprint("route=", i, " id=", i), 1, second, 1})
		}
		return r.sum("known", "m", pmetric.AggregationTemporalityCumulative, true, points)
	}
	r.process(known(10, 10))
	sent := 0
	for i := range 60_000 {
		sent += r.process(r.sum(fmt.Sprint("random-", i), "m", pmetric.AggregationTemporalityCumulative, true, []pt{{fmt.Sprint("id=", i), 1, 10, 1}})).DataPointCount()
	}
	assert.Equal(t, 60_000, sent)
	out := r.process(known(2000, 20))
	assert.Equal(t, 2000, out.DataPointCount())
	assert.Empty(t, overflows(out))
	assert.Empty(t, labelled(t, telemetry, "otelcol_cardinality_dropped_points", "reason"))
	t.Log(labelled(t, telemetry, "otelcol_cardinality_untracked_points", "outcome"))
}

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
