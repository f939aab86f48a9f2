// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// TestConstantGrowthStaysBounded sends new ids at a constant rate over several periods of
// max_stale. The series and the memory stay bounded in each, and no value is lost.
func TestConstantGrowthStaysBounded(t *testing.T) {
	f := func(kind string, request func(*rig, ...pt) pmetric.Metrics) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			const limit, perSecond, window = 100, 20, 60
			r := plainRig(t, func(cfg *Config) { cfg.Limit, cfg.MaxStale = limit, window*time.Second })
			r.startExpiry()
			in, out := r.senders(kind), r.receivers(kind)
			id, peak := 0, int64(0)
			for n := range 10 {
				series := map[string]bool{}
				for range window {
					time.Sleep(time.Second)
					md := request(r, users(id, id+perSecond, r.now()-0.5, r.now())...)
					id += perSecond
					in.read(md)
					for _, p := range receive(out.read(r.process(md))) {
						series[p.series] = true
					}
					require.LessOrEqual(t, r.series(), int64(limit))
					if n < 2 { // by then the table of streams is as large as it gets
						peak = max(peak, r.p.store.Memory.Used.Load())
					}
					require.LessOrEqual(t, r.p.store.Memory.Used.Load(), peak+peak/10)
				}
				// Places are used again as they become free: about once in max_stale.
				require.LessOrEqual(t, len(series), 2*limit+1, n)
				require.Greater(t, len(series), 1, n)
			}
			if kind != "gauge" {
				require.InDelta(t, in.total(), out.total(), 0)
			}
			// At the end everything expires.
			time.Sleep(2 * window * time.Second)
			require.Zero(t, r.series())
			require.Zero(t, r.p.store.Memory.Used.Load())
		})
	}
	f("delta_sum", (*rig).deltas)
	f("cumulative_sum", (*rig).counters)
	f("gauge", (*rig).gauges)
}

// TestPlacesBecomeFree checks that a series frees its place in the limit after max_stale
// without a point, and not earlier.
func TestPlacesBecomeFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := plainRig(t, func(cfg *Config) { cfg.Limit, cfg.MaxStale = 2, 8*time.Minute })
		r.startExpiry()
		send := func(users ...string) []string {
			var points []pt
			for _, user := range users {
				points = append(points, pt{"user=" + user, r.now() - 1, r.now(), 1})
			}
			var got []string
			for _, p := range receive(r.process(r.deltas(points...))) {
				got = append(got, attributesText(p.attributes))
			}
			return got
		}
		time.Sleep(time.Second)
		a, b, c, over := `{user="a"}`, `{user="b"}`, `{user="c"}`, `{otel.metric.overflow=true}`
		require.Equal(t, []string{a, b, over}, send("a", "b", "c"))
		for range 7 {
			time.Sleep(time.Minute)
			require.Equal(t, []string{a}, send("a"))
		}
		require.Equal(t, []string{over}, send("c")) // b's place is b's yet
		time.Sleep(50 * time.Second)
		require.Equal(t, []string{b}, send("b"))
		// This time b stays away, and so does c, which is past the limit as long as it sends.
		for range 10 {
			time.Sleep(time.Minute)
			require.Equal(t, []string{a}, send("a"))
		}
		require.Equal(t, []string{a, c}, send("a", "c"))
		require.Equal(t, []string{over}, send("b"))
	})
}

// TestSummariesKeepTheirPlaces checks that summaries keep their places in the limit like
// other series, though no stream is stored.
func TestSummariesKeepTheirPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.MaxStale = time.Minute })
		r.startExpiry()
		for range 20 {
			time.Sleep(20 * time.Second)
			require.Len(t, r.send(r.summaries(pt{"route=a", 1, r.now(), 1})), 1)
			require.Equal(t, int64(1), r.series())
			time.Sleep(10 * time.Second)
			require.Equal(t, int64(1), r.series())
		}
	})
}

// TestStableSeriesAreUntouched checks that series within their budget are sent byte by
// byte as they came, over any time.
func TestStableSeriesAreUntouched(t *testing.T) {
	const n = 5000
	f := func(change func(*Config), request func(*rig, ...pt) pmetric.Metrics) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, func(cfg *Config) {
				cfg.Limit, cfg.MaxStale = n, time.Minute
				if change != nil {
					change(cfg)
				}
			})
			r.startExpiry()
			marshaler := pmetric.ProtoMarshaler{}
			for range 5 {
				time.Sleep(45 * time.Second)
				md := request(r, users(0, n, 1, r.now())...)
				want, err := marshaler.MarshalMetrics(md)
				require.NoError(t, err)
				got, err := marshaler.MarshalMetrics(r.process(md))
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
			require.Equal(t, int64(n), r.series())
		})
	}
	f(func(cfg *Config) { cfg.DropAttributes = nil }, (*rig).counters)
	f(nil, (*rig).counters)
	f(nil, (*rig).deltas)
	f(func(cfg *Config) { cfg.AttributeLimits = map[string]int{"user": n} }, (*rig).gauges)
}

// TestStaleCounterKeepsItsContribution checks that the increments of an ended cumulative
// stream stay in the sum. If the stream returns after max_stale, its first value is the
// baseline.
func TestStaleCounterKeepsItsContribution(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.MaxStale = time.Minute })
		r.startExpiry()
		send := func(of ...pt) string {
			for i := range of {
				of[i].start, of[i].time = 1, r.now()
			}
			md := r.process(r.counters(of...))
			require.Equal(t, 1, md.DataPointCount())
			require.Equal(t, r.at(0), receive(md)[0].start)
			return fmt.Sprint(receive(md)[0].is["value"])
		}
		time.Sleep(10 * time.Second)
		assert.Equal(t, "150", send(pt{"id=1", 0, 0, 100}, pt{"id=2", 0, 0, 50}))
		for i := range 20 {
			time.Sleep(10 * time.Second)
			assert.Equal(t, fmt.Sprint(151+i), send(pt{"id=2", 0, 0, 51 + i}))
		}
		assert.Equal(t, 1, r.streamCount())
		assert.Equal(t, "170", send(pt{"id=1", 0, 0, 130}))
		time.Sleep(10 * time.Second)
		assert.Equal(t, "171", send(pt{"id=1", 0, 0, 131}))
	})
}

// TestStaleValuesAreRemoved checks that the value of an ended stream is removed from
// gauges and non-monotonic sums: at once with a stale marker, else after max_stale.
func TestStaleValuesAreRemoved(t *testing.T) {
	f := func(how string, request func(*rig, ...pt) pmetric.Metrics, both, one string) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, func(cfg *Config) {
				cfg.MaxStale = time.Minute
				cfg.Overrides = []OverridesItem{{Metric: "*", Gauge: how}}
			})
			r.startExpiry()
			send := func(of ...pt) string {
				for i := range of {
					of[i].time = r.now() + float64(i)/1000
				}
				return fmt.Sprint(receive(r.process(request(r, of...)))[0].is["value"])
			}
			time.Sleep(10 * time.Second)
			assert.Equal(t, both, send(pt{"id=2", 0, 0, 40}, pt{"id=1", 0, 0, 100}))
			for range 4 {
				time.Sleep(10 * time.Second)
				if how != "last" {
					assert.Equal(t, both, send(pt{"id=2", 0, 0, 40}))
				}
			}
			for range 10 {
				time.Sleep(10 * time.Second)
				send(pt{"id=2", 0, 0, 40})
			}
			time.Sleep(time.Second)
			assert.Equal(t, one, send(pt{"id=2", 0, 0, 40}))
			time.Sleep(time.Second)
			assert.Equal(t, both, send(pt{"id=2", 0, 0, 40}, pt{"id=1", 0, 0, 100}))
			time.Sleep(time.Second)
			assert.Equal(t, one, send(pt{"id=1", 0, 0, nil}))
		})
	}
	f("last", (*rig).updowns, "140", "40")
	f("sum", (*rig).gauges, "140", "40")
	f("max", (*rig).gauges, "100", "40")
	f("mean", (*rig).gauges, "70", "40")
	f("last", (*rig).gauges, "100", "40")
}
