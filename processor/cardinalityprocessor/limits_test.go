// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

// users returns points of a number of series, each with the value 1.
func users(from, to int, start, end float64) (points []pt) {
	for i := from; i < to; i++ {
		points = append(points, pt{fmt.Sprint("user=", i), start, end, 1})
	}
	return points
}

// TestLimitHoldsConcurrently checks that 64 concurrent senders never exceed the limit, and
// lose nothing.
func TestLimitHoldsConcurrently(t *testing.T) {
	const senders, batches, each, limit, serviceLimit = 64, 20, 20, 300, 500
	r := plainRig(t, func(cfg *Config) { cfg.Limit, cfg.ServiceLimit = limit, serviceLimit })
	var mu sync.Mutex
	series, sum := map[string]map[string]bool{"m": {}, "n": {}}, 0.0
	var wg sync.WaitGroup
	for g := range senders {
		wg.Go(func() {
			for b := range batches {
				points := users(g*each, (g+1)*each, float64(9+b), float64(10+b))
				out, err := r.p.process(context.Background(), both(
					r.sum("s", "m", pmetric.AggregationTemporalityDelta, true, points),
					r.sum("s", "n", pmetric.AggregationTemporalityDelta, true, points)))
				assert.NoError(t, err)
				mu.Lock()
				for _, rm := range out.ResourceMetrics().All() {
					for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
						for _, dp := range m.Sum().DataPoints().All() {
							sum += float64(dp.IntValue())
							if attrs := dp.Attributes().AsRaw(); !isOverflow(attrs) {
								series[m.Name()][fmt.Sprint(attrs)] = true
							}
						}
					}
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	assert.LessOrEqual(t, len(series["m"]), limit)
	assert.LessOrEqual(t, len(series["n"]), limit)
	assert.Len(t, series["m"], serviceLimit-len(series["n"])) // all places are taken
	assert.InDelta(t, senders*batches*each*2, sum, 0)
}

// noise sends new series of one service.
func (r *rig) noise(metric string, from, n int) {
	for i := from; i < from+n; i += 1000 {
		r.process(r.sum("noisy", metric, pmetric.AggregationTemporalityDelta, true, users(i, min(i+1000, from+n), 1, 10)))
	}
}

// TestQuietServiceNeverOverflows checks that a small service is always admitted, however
// many series another one sends.
func TestQuietServiceNeverOverflows(t *testing.T) {
	soak.Sequential(t)
	f := func(change func(*Config), noise func(r *rig, round int)) {
		t.Helper()
		r := plainRig(t, change)
		for round := range 20 {
			noise(r, round)
			at := float64(10 + round)
			out := r.process(r.sum("quiet", "m", pmetric.AggregationTemporalityDelta, true, users(0, 50*(round+1), at-1, at)))
			require.Equal(t, 50*(round+1), out.DataPointCount())
			require.Empty(t, overflows(out))
		}
		before := r.series()
		r.noise("last", 0, 1000)
		require.Less(t, r.series()-before, int64(1000)) // the budget is a tight one
	}
	f(func(cfg *Config) { cfg.ServiceLimit = 1500 }, func(r *rig, round int) { r.noise("m", 5000*round, 5000) })
	f(func(cfg *Config) { cfg.Limit, cfg.MemoryLimitMib = 1000, 4 }, func(r *rig, round int) {
		for metric := range 20 {
			r.noise(fmt.Sprint("m", round, metric), 0, 2000)
		}
	})
	f(func(cfg *Config) { cfg.Limit, cfg.ServiceLimit, cfg.MemoryLimitMib = 1<<30, 0, 4 }, func(r *rig, round int) {
		r.noise("m", 20000*round, 20000)
	})
}

// TestAttributeLimitsConserve checks for each kind of metric that replaced values lose
// nothing and count nothing twice.
func TestAttributeLimitsConserve(t *testing.T) {
	f := func(kind string, request func(*rig, ...pt) pmetric.Metrics) {
		t.Helper()
		r := newRig(t, func(cfg *Config) { cfg.AttributeLimits, cfg.Limit = map[string]int{"user": 3}, 6 })
		in, out := r.senders(kind), r.receivers(kind)
		for round := range 20 {
			at := float64(10 * (round + 1))
			var points []pt
			for i := range 2 + round {
				points = append(points, pt{fmt.Sprint("user=", i%11, " route=", i%3, " id=", i), at - 9.5, at, i + round})
			}
			md := request(r, points...)
			if kind == "cumulative_sum" {
				for _, dp := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().All() {
					dp.SetStartTimestamp(r.at(0.5))
				}
			}
			in.read(md)
			out.read(r.process(md))
			require.InDelta(t, in.total(), out.total(), 0, "%s, round %d", kind, round)
		}
		require.LessOrEqual(t, len(out.by), 7)
	}
	f("delta_sum", (*rig).deltas)
	f("cumulative_sum", (*rig).counters)
	f("updown", (*rig).updowns)
}
