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

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/identity"
)

// users returns points of a number of series, each with the value 1.
func users(from, to int, start, end float64) (points []pt) {
	for i := from; i < to; i++ {
		points = append(points, pt{fmt.Sprint("user=", i), start, end, 1})
	}
	return points
}

func TestExactlyTheLimit(t *testing.T) {
	f := func(kind string, request func(*rig, ...pt) pmetric.Metrics) {
		t.Helper()
		const n = 100
		r := plainRig(t, func(cfg *Config) { cfg.Limit = n })
		in, out := r.senders(kind), r.receivers(kind)
		send := func(points []pt) pmetric.Metrics {
			md := request(r, points...)
			in.read(md)
			return out.read(r.process(md))
		}
		for round := range 3 {
			md := send(users(0, n, 1, float64(10+round)))
			require.Equal(t, n, md.DataPointCount())
			require.Empty(t, overflows(md))
		}
		// Series past the limit.
		for round := range 3 {
			md := send(users(0, n+1, 1, float64(20+round)))
			require.Equal(t, n+1, md.DataPointCount())
			over := overflows(md)
			require.Len(t, over, 1)
			require.Equal(t, map[string]any{identity.OverflowKey: true}, over[0].attributes)
		}
		for round := range 3 {
			md := send(users(0, 3*n, 1, float64(30+round)))
			require.Equal(t, n+1, md.DataPointCount())
			require.Len(t, overflows(md), 1)
		}
		if kind != "gauge" {
			require.InDelta(t, in.total(), out.total(), 0)
		}
	}
	f("delta_sum", (*rig).deltas)
	f("cumulative_sum", (*rig).counters)
	f("updown", (*rig).updowns)
	f("gauge", (*rig).gauges)
}

// TestLimitCountsOutputs checks that a limit counts output series: streams that are merged
// take one place.
func TestLimitCountsOutputs(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.Limit = 2 })
	var points []pt
	for i := range 100 {
		points = append(points, pt{fmt.Sprint("route=", i%2, " id=", i), 1, 10, 1})
	}
	require.Equal(t, []string{`{route="0"} 1..10 50`, `{route="1"} 1..10 50`}, r.send(r.deltas(points...)))
}

// TestOverflowKeepsTheResource checks that overflow series keep the resource, which shows
// whose they are.
func TestOverflowKeepsTheResource(t *testing.T) {
	r := plainRig(t, func(cfg *Config) { cfg.Limit = 1 })
	md := r.deltas(users(0, 3, 1, 10)...)
	md.ResourceMetrics().At(0).Resource().Attributes().PutInt("instance", 7)
	md.ResourceMetrics().At(0).ScopeMetrics().At(0).Scope().SetName("scope")
	out := r.process(md)
	require.Equal(t, 1, out.ResourceMetrics().Len())
	require.Equal(t, map[string]any{"service.name": "s", "instance": int64(7)}, out.ResourceMetrics().At(0).Resource().Attributes().AsRaw())
	require.Equal(t, "scope", out.ResourceMetrics().At(0).ScopeMetrics().At(0).Scope().Name())
	require.Len(t, overflows(out), 1)
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

// TestServiceLimitOverResources checks that service_limit counts the series of one service
// over all its resources and metrics.
func TestServiceLimitOverResources(t *testing.T) {
	r := plainRig(t, func(cfg *Config) { cfg.ServiceLimit = 10 })
	send := func(namespace, service string, instance int, metric string, n int) (series, over int) {
		md := r.sum(service, metric, pmetric.AggregationTemporalityDelta, true, users(0, n, 1, 10))
		resource := md.ResourceMetrics().At(0).Resource().Attributes()
		resource.PutInt("instance", int64(instance))
		resource.PutStr("service.namespace", namespace)
		out := r.process(md)
		return out.DataPointCount() - len(overflows(out)), len(overflows(out))
	}
	f := func(namespace, service string, instance int, metric string, n, wantSeries, wantOver int) {
		t.Helper()
		series, over := send(namespace, service, instance, metric, n)
		require.Equal(t, []int{wantSeries, wantOver}, []int{series, over})
	}
	f("", "s", 1, "m", 4, 4, 0)
	f("", "s", 2, "m", 4, 4, 0)
	f("", "s", 2, "n", 4, 2, 1)
	f("", "s", 3, "m", 1, 0, 1)
	f("", "t", 3, "m", 10, 10, 0)
	f("other", "s", 3, "m", 10, 10, 0)
}

func TestOverridesOfTheLimit(t *testing.T) {
	r := plainRig(t, func(cfg *Config) {
		cfg.Limit = 3
		cfg.Overrides = []OverridesItem{
			{Metric: "http_*_total", Limit: 5}, {Metric: "http_*", Limit: 2}, {Metric: "*_total", Gauge: "sum"}, {Metric: "rpc_*", Limit: 0},
		}
	})
	f := func(metric string, limit int) {
		t.Helper()
		out := r.process(r.sum("s", metric, pmetric.AggregationTemporalityDelta, true, users(0, 10, 1, 10)))
		require.Len(t, overflows(out), 1)
		require.Equal(t, limit, out.DataPointCount()-1)
	}
	f("http_requests_total", 5)
	f("http_requests", 2)
	f("rpc_total", 3)
	f("HTTP_requests", 3)
	f("my_http_requests", 3)
}
