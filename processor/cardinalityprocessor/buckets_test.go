// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// TestDropBuckets checks that buckets: drop changes nothing of what is sent but the buckets of explicit histograms,
// whatever is merged, and over restarts with the other setting.
func TestDropBuckets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dropped := 0
		for seed := range histories(t) / 12 {
			start := func(buckets string) *cardinalityProcessor {
				return newTestProcessor(t, func(cfg *Config) {
					cfg.Overrides = []OverridesItem{{Metric: "*", Buckets: buckets}}
					cfg.Limit, cfg.ServiceLimit = []int{1, 1000}[seed%2], []int{2, 1000, 1000, 1000, 1000}[seed%5]
				})
			}
			end := func(p *cardinalityProcessor) { require.NoError(t, p.shutdown(t.Context())) }
			keeps, drops := start(bucketsKeep), start(bucketsDrop)
			copySeries(t, keeps, drops)
			kind := kindsOfMetrics[5+seed%3] // histograms, with explicit bounds and without
			h := newHistory(rand.New(rand.NewPCG(seed, 8)), kind, keeps.store.Started)
			for range 6 {
				for _, batch := range h.batches(h.step()) {
					if h.IntN(4) == 0 {
						after := start(bucketsDrop)
						require.Equal(t, keeps.user.Current().hash, after.user.Current().hash)
						copySeries(t, keeps, after)
						end(drops)
						drops = after
					}
					md, other := h.request(batch), pmetric.NewMetrics()
					md.CopyTo(other)
					want, wantErr := keeps.process(t.Context(), md)
					got, err := drops.process(t.Context(), other)
					require.Equal(t, wantErr, err)
					dropped += withoutBuckets(want)
					wantText, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(want)
					require.NoError(t, err)
					gotText, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(got)
					require.NoError(t, err)
					require.Equal(t, string(wantText), string(gotText), "seed %d, %s", seed, kind.name)
				}
			}
			end(keeps)
			end(drops)
		}
		assert.Positive(t, dropped)
	})
}

// withoutBuckets removes buckets, and returns how many.
func withoutBuckets(md pmetric.Metrics) (removed int) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				if m.Type() != pmetric.MetricTypeHistogram {
					continue
				}
				for _, dp := range m.Histogram().DataPoints().All() {
					if n := dp.BucketCounts().Len(); n > 1 {
						removed += n - 1
						dp.BucketCounts().FromRaw([]uint64{dp.Count()})
						dp.ExplicitBounds().FromRaw(nil)
					}
				}
			}
		}
	}
	return removed
}

// TestCostsOfBuckets checks that buckets that are removed cost nothing any more.
func TestCostsOfBuckets(t *testing.T) {
	for buckets, want := range map[string]int{bucketsKeep: 33, bucketsDrop: 1} {
		r := plainRig(t, func(cfg *Config) { cfg.Overrides = []OverridesItem{{Metric: "m", Buckets: buckets}} })
		bounds := make([]float64, 32)
		for i := range bounds {
			bounds[i] = float64(i)
		}
		send := func() float64 {
			out := r.process(r.histograms(pmetric.AggregationTemporalityDelta, hist{pt{"a=1", 1, 2, 0}, bounds, []float64{1}}))
			return float64((&pmetric.ProtoMarshaler{}).HistogramDataPointSize(out.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Histogram().DataPoints().At(0)))
		}
		sent := send()
		costs := r.p.explain.Costs(time.Second)
		require.Len(t, costs, 1)
		assert.Equal(t, want, costs[0].Buckets)
		assert.InDelta(t, sent, costs[0].Out.Bytes, 10)
		assert.Greater(t, costs[0].In.Bytes, 500.0)
	}
}
