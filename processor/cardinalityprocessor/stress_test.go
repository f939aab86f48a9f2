// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
)

// TestStress runs senders, a next component that refuses some batches, expiry, and changes of the policy concurrently.
func TestStress(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.DropAttributes, cfg.MaxStale, cfg.Limit = []string{"id"}, time.Second, 5
	next, err := consumer.NewMetrics(func(_ context.Context, md pmetric.Metrics) error {
		if rand.IntN(3) == 0 {
			return errors.New("full")
		}
		runtime.Gosched()
		md.ResourceMetrics().RemoveIf(func(pmetric.ResourceMetrics) bool { return true })
		return nil
	})
	require.NoError(t, err)
	mp, err := createMetrics(t.Context(), processortest.NewNopSettings(NewFactory().Type()), cfg, next)
	require.NoError(t, err)
	live := policy.NewLive(shop(t, false))
	require.NoError(t, mp.Start(t.Context(), pipetest.HostOf(live)))
	cp := mp.(retried).processor
	r := &rig{t: t, p: cp}
	packs := [][]*conventions.Pack{shop(t, true).Packs(), shop(t, false).Packs()}
	var senders, others sync.WaitGroup
	for g := range 8 {
		senders.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(g), 1))
			makes := []func(*rig, ...pt) pmetric.Metrics{(*rig).deltas, (*rig).counters, (*rig).gauges, (*rig).updowns,
				func(r *rig, points ...pt) pmetric.Metrics {
					var hs []hist
					for _, p := range points {
						hs = append(hs, hist{p, []float64{1, 2}, []float64{1, float64(rnd.IntN(4))}})
					}
					return r.histograms(pmetric.AggregationTemporalityDelta, hs...)
				}}
			for range 300 {
				var all []pt
				for range rnd.IntN(30) {
					p := pt{fmt.Sprintf("route=%d id=%d", rnd.IntN(10), rnd.IntN(200)), r.now() - rnd.Float64(), r.now() + rnd.Float64(), rnd.IntN(10)}
					if rnd.IntN(5) == 0 {
						p.attrs = fmt.Sprintf("route=%d", rnd.IntN(10))
					}
					if rnd.IntN(10) == 0 {
						p.value = nil
					} else if rnd.IntN(5) == 0 {
						p.value = rnd.Float64()
					}
					all = append(all, p)
				}
				_ = mp.ConsumeMetrics(context.Background(), makes[rnd.IntN(len(makes))](r, all...))
			}
		})
	}
	sent := make(chan struct{})
	others.Go(func() {
		for number := 0; ; number++ {
			select {
			case <-sent:
				return
			case <-time.After(time.Millisecond):
				rules := policy.NewDefaultConfig()
				rules.Mode = []string{policy.Enforce, policy.Enforce, policy.Audit}[number%3]
				assert.NoError(t, live.Change(policy.Of(*rules, packs[number%2])))
			}
		}
	})
	others.Go(func() {
		for number := 0; ; number++ {
			select {
			case <-sent:
				return
			default:
				// Two of three times later than the series are kept, and one later than those of a policy before.
				late := []time.Duration{0, 5 * time.Second, 2 * time.Minute}[number%3]
				cp.expire(t.Context(), time.Now().Add(late), uint64(number/3)%series.Sweeps)
				runtime.Gosched()
			}
		}
	})
	senders.Wait()
	close(sent)
	others.Wait()
	for range 3 {
		for share := range uint64(series.Sweeps) {
			cp.expire(t.Context(), time.Now().Add(5*time.Second), share)
		}
	}
	require.NoError(t, mp.Shutdown(t.Context()))
	require.Zero(t, cp.store.Memory.Used.Load())
}
