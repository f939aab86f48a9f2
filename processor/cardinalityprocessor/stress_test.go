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

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/series"
)

// TestStress runs senders, a next component that refuses some batches, and expiry concurrently.
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
	require.NoError(t, mp.Start(t.Context(), componenttest.NewNopHost()))
	cp := mp.(retried).processor
	r := &rig{t: t, p: cp}
	var senders, expiry sync.WaitGroup
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
	expiry.Go(func() {
		for number := 0; ; number++ {
			select {
			case <-sent:
				return
			default:
				// Every other time later than the series are kept.
				cp.expire(t.Context(), time.Now().Add(time.Duration(number%2)*5*time.Second), uint64(number/2)%series.Sweeps)
				runtime.Gosched()
			}
		}
	})
	senders.Wait()
	close(sent)
	expiry.Wait()
	for range 3 {
		for share := range uint64(series.Sweeps) {
			cp.expire(t.Context(), time.Now().Add(5*time.Second), share)
		}
	}
	require.NoError(t, mp.Shutdown(t.Context()))
	require.Zero(t, cp.store.Memory.Used.Load())
}
