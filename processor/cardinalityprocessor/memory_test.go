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
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/soak"
)

// hostileNames is the number of distinct values: enough to fill the memory several times.
// `make soak` sends ten million.
func hostileNames(t *testing.T) int {
	t.Helper()
	return soak.Names(t, 200_000)
}

// heapGrowth sends requests of a thousand points until all hostile names are sent. It
// returns the growth of the heap.
func (r *rig) heapGrowth(request func(from int) pmetric.Metrics) uint64 {
	r.t.Helper()
	before := liveHeap()
	for i := 0; i < hostileNames(r.t); i += 1000 {
		r.process(request(i))
	}
	after := liveHeap()
	require.NotZero(r.t, r.p.store.Memory.Used.Load()) // it is still there
	return after - min(before, after)
}

// TestMemoryOfHostileValues sends distinct values of an attribute: on metrics of all
// kinds, as dropped ids, past every other limit, and with limited values.
func TestMemoryOfHostileValues(t *testing.T) {
	const mib = 8
	bounds := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	requests := map[string]func(r *rig, key string, from int) pmetric.Metrics{
		"gauge":          func(r *rig, key string, from int) pmetric.Metrics { return r.gauges(keyed(key, from)...) },
		"delta_sum":      func(r *rig, key string, from int) pmetric.Metrics { return r.deltas(keyed(key, from)...) },
		"cumulative_sum": func(r *rig, key string, from int) pmetric.Metrics { return r.counters(keyed(key, from)...) },
		"cumulative_histogram": func(r *rig, key string, from int) pmetric.Metrics {
			var all []hist
			for _, p := range keyed(key, from) {
				all = append(all, hist{p, bounds, bounds[:1+from/1000%9]})
			}
			return r.histograms(pmetric.AggregationTemporalityCumulative, all...)
		},
		"cumulative_exponential": func(r *rig, key string, from int) pmetric.Metrics {
			md, m := emptyMetric("s", "m")
			m.SetEmptyExponentialHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
			for _, p := range keyed(key, from) {
				dp := m.ExponentialHistogram().DataPoints().AppendEmpty()
				r.common(dp, p)
				dp.Positive().BucketCounts().FromRaw(make([]uint64, 160))
				dp.Positive().BucketCounts().SetAt(from/1000%160, 1)
				dp.Positive().BucketCounts().SetAt(159, 1)
				dp.SetCount(2)
			}
			return md
		},
	}
	for kind, request := range requests {
		for what, change := range map[string]func(*Config){
			"ids":    nil,
			"series": func(cfg *Config) { cfg.DropAttributes, cfg.Limit, cfg.ServiceLimit = nil, 1<<30, 0 },
			"values": func(cfg *Config) { cfg.DropAttributes, cfg.AttributeLimits = nil, map[string]int{"id": 1 << 30} },
			"fold":   func(cfg *Config) { cfg.DropAttributes = nil },
		} {
			r := newRig(t, func(cfg *Config) {
				cfg.MemoryLimitMib = mib
				if change != nil {
					change(cfg)
				}
			})
			growth := r.heapGrowth(func(from int) pmetric.Metrics { return request(r, "id", from) })
			assert.Less(t, growth, uint64(mib<<20), "%s, %s: %d KiB, %d counted", kind, what, growth>>10, r.p.store.Memory.Used.Load()>>10)
		}
	}
}

// keyed returns a thousand points with different values of an attribute.
func keyed(key string, from int) (points []pt) {
	for i := range 1000 {
		points = append(points, pt{fmt.Sprint(key, "=", from+i, strings.Repeat("x", 40)), 1, 10, 1})
	}
	return points
}

// TestMemoryOfHostileNames sends distinct names of services, scopes, metrics, units and
// attributes.
func TestMemoryOfHostileNames(t *testing.T) {
	const mib = 8
	f := func(name string, put func(md pmetric.Metrics, rm pmetric.ResourceMetrics, m pmetric.Metric, text string)) {
		t.Helper()
		r := newRig(t, func(cfg *Config) { cfg.MemoryLimitMib, cfg.DropAttributes = mib, nil }, conventions.Builtins)
		growth := r.heapGrowth(func(from int) pmetric.Metrics {
			md := pmetric.NewMetrics()
			for i := range 1000 {
				one := r.deltas(pt{"user=a", 1, 10, 1})
				rm := one.ResourceMetrics().At(0)
				put(one, rm, rm.ScopeMetrics().At(0).Metrics().At(0), fmt.Sprint(strings.Repeat("x", 200), from+i))
				one.ResourceMetrics().MoveAndAppendTo(md.ResourceMetrics())
			}
			return md
		})
		assert.Less(t, growth, uint64(mib<<20), "%s: %d KiB, %d counted", name, growth>>10, r.p.store.Memory.Used.Load()>>10)
	}
	type (
		rms = pmetric.ResourceMetrics
		ms  = pmetric.Metrics
	)
	f("services", func(_ ms, rm rms, _ pmetric.Metric, text string) {
		rm.Resource().Attributes().PutStr("service.name", text)
	})
	f("resources", func(_ ms, rm rms, _ pmetric.Metric, text string) { rm.Resource().Attributes().PutStr("host", text) })
	f("scopes", func(_ ms, rm rms, _ pmetric.Metric, text string) { rm.ScopeMetrics().At(0).Scope().SetName(text) })
	f("metrics", func(_ ms, _ rms, m pmetric.Metric, text string) { m.SetName(text) })
	f("units", func(_ ms, _ rms, m pmetric.Metric, text string) { m.SetUnit(text) })
	f("keys", func(md ms, _ rms, _ pmetric.Metric, text string) {
		attrs := pcommon.NewMap()
		attrs.PutStr(text, "v")
		attrs.MoveTo(numberPoints(md).At(0).Attributes())
	})
}

// TestMemoryOfGrowingHistograms checks that streams whose histograms grow stay within the
// memory limit.
func TestMemoryOfGrowingHistograms(t *testing.T) {
	const mib = 4
	r := newRig(t, func(cfg *Config) { cfg.MemoryLimitMib = mib })
	many := make([]float64, 400)
	for i := range many {
		many[i] = float64(i)
	}
	send := func(at float64, bounds []float64) {
		for i := range 100 {
			var points []hist
			for j := range 50 {
				points = append(points, hist{pt{fmt.Sprint("id=", 50*i+j), 1, at, nil}, bounds, []float64{1}})
			}
			r.process(r.histograms(pmetric.AggregationTemporalityCumulative, points...))
		}
	}
	before := liveHeap()
	send(10, nil)
	send(20, many)
	assert.Less(t, liveHeap()-min(before, liveHeap()), uint64(mib<<20))
}

// TestMemoryOfExpiredBursts checks that expired series release their memory while their
// metrics remain.
func TestMemoryOfExpiredBursts(t *testing.T) {
	const mib = 4
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.MemoryLimitMib, cfg.MaxStale = mib, time.Minute })
		before := liveHeap()
		for metric := range 20 {
			at := float64(120*metric + 10)
			for i := range 50 {
				var points []pt
				for j := range 100 {
					points = append(points, pt{fmt.Sprint("id=", 100*i+j), 1, at, 1})
				}
				r.process(r.sum("s", fmt.Sprint("m", metric), pmetric.AggregationTemporalityDelta, true, points))
			}
			for range 4 {
				time.Sleep(30 * time.Second)
				at += 30
				for known := range metric + 1 {
					r.process(r.sum("s", fmt.Sprint("m", known), pmetric.AggregationTemporalityDelta, true, []pt{{"id=0", 1, at, 1}}))
				}
				r.expireAll()
			}
		}
		assert.Less(t, liveHeap()-min(before, liveHeap()), uint64(mib<<20))
	})
}

// TestMemoryOfLongServiceNames checks that services with very long names stay within the
// memory limit.
func TestMemoryOfLongServiceNames(t *testing.T) {
	const mib = 4
	r := newRig(t, func(cfg *Config) { cfg.MemoryLimitMib = mib })
	long := strings.Repeat("x", 256<<10)
	before := liveHeap()
	for i := range 100 {
		r.process(r.sum(fmt.Sprint(long, i), "m", pmetric.AggregationTemporalityDelta, true, []pt{{"id=0", 1, 10, 1}}))
	}
	assert.Less(t, liveHeap()-min(before, liveHeap()), uint64(mib<<20))
	assert.NotZero(t, r.p.store.Memory.Used.Load())
}

// TestMemoryIsReleased checks that expired metrics release all memory, including their
// sketches.
func TestMemoryIsReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := plainRig(t, func(cfg *Config) { cfg.Limit, cfg.MaxStale = 2, time.Minute })
		r.process(r.deltas(pt{"id=1", 0, 10, 1}, pt{"id=2", 0, 10, 1}, pt{"id=3", 0, 10, 1}))
		time.Sleep(5 * time.Minute)
		r.expireAll()
		assert.Zero(t, r.p.store.Memory.Used.Load())
	})
}
