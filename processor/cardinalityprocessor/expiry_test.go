// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/soak"
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

// TestSeriesThatComeAndGoCountOnce checks that values count once, whichever series come,
// stay away and return. Streams do not change while they are away, so the oracle needs no
// guess.
func TestSeriesThatComeAndGoCountOnce(t *testing.T) {
	soak.Sequential(t)
	f := func(seed uint64) {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 0))
			r := newRig(t, func(cfg *Config) {
				cfg.Limit, cfg.MaxStale = 1+rnd.IntN(3), 30*time.Second
				switch seed % 3 {
				case 0:
					cfg.DropAttributes = nil
				case 1:
					cfg.AttributeLimits = map[string]int{"user": 1 + rnd.IntN(4)}
				}
			})
			r.startExpiry()
			in, out := r.senders("cumulative_sum"), r.receivers("cumulative_sum")
			type stream struct {
				attrs       string
				start, sent float64
				value       int
				away        int
			}
			streams := make([]stream, 6)
			for range 100 {
				time.Sleep(time.Duration(1+rnd.IntN(8)) * time.Second)
				var points []pt
				for i := range streams {
					s := &streams[i]
					if s.away--; s.away > 0 {
						continue
					}
					if rnd.IntN(20) == 0 {
						s.away = rnd.IntN(20)
						continue
					}
					if s.start == 0 || rnd.IntN(30) == 0 { // new, or restarted
						*s = stream{attrs: fmt.Sprint("user=", i, " id=", rnd.IntN(3)), start: r.now() - 0.9}
						if rnd.IntN(2) == 0 {
							s.attrs = fmt.Sprint("user=", i)
						}
					}
					if r.now()-s.sent < 20 { // not just back
						s.value += rnd.IntN(5)
					}
					s.sent = r.now()
					points = append(points, pt{s.attrs, s.start, r.now(), s.value})
				}
				md := r.counters(points...)
				in.read(md)
				out.read(r.process(md))
				require.InDelta(t, in.total(), out.total(), 0, "seed %d", seed)
			}
		})
	}
	for seed := range uint64(300) {
		f(seed)
	}
}
