// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// FuzzExponential checks that any decoded point is either refused, or is bounded, is written as
// it was read, and merges without losing a count.
func FuzzExponential(f *testing.F) {
	seed := func(points ...pmetric.ExponentialHistogramDataPoint) {
		md := pmetric.NewMetrics()
		to := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptyExponentialHistogram()
		for _, dp := range points {
			dp.CopyTo(to.DataPoints().AppendEmpty())
		}
		data, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
		require.NoError(f, err)
		f.Add(data)
	}
	seed(exponentialPoint(5, 0), exponentialPoint(3, 1))
	seed(exponentialPoint(20, 0), exponentialPoint(-3, 1e-300))
	extreme := exponentialPoint(20, 2)
	extreme.Positive().SetOffset(1<<30 - maxBuckets)
	extreme.Positive().CopyTo(extreme.Negative())
	extreme.Negative().SetOffset(-1 << 30)
	extreme.SetCount(2 * extreme.Count())
	seed(extreme, exponentialPoint(-11, 0))

	f.Fuzz(func(t *testing.T, data []byte) {
		md, err := (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(data)
		if err != nil {
			return
		}
		var read []*Exponential
		for _, rm := range md.ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				for _, m := range sm.Metrics().All() {
					if m.Type() != pmetric.MetricTypeExponentialHistogram {
						continue
					}
					for _, dp := range m.ExponentialHistogram().DataPoints().All() {
						if e := (&Exponential{}); e.Read(dp) {
							read = append(read, e)
						}
					}
				}
			}
		}
		for i, e := range read {
			requireBounded(t, e)
			dp := pmetric.NewExponentialHistogramDataPoint()
			e.Write(dp)
			var again Exponential
			require.True(t, again.Read(dp))
			requireSameExponential(t, e, &again)
			if i == 0 {
				continue
			}
			var sum Exponential
			sum.Set(read[i-1])
			sum.Add(e)
			requireBounded(t, &sum)
			if read[i-1].fits(&e.totals) {
				require.Equal(t, read[i-1].count+e.count, sum.count)
				require.False(t, sum.Sub(e))
				requireBounded(t, &sum)
			}
			require.Equal(t, read[i-1].count, sum.count)
		}
	})
}

func requireBounded(t *testing.T, e *Exponential) {
	t.Helper()
	total := e.zeroCount
	for _, side := range []buckets{e.positive, e.negative} {
		require.LessOrEqual(t, len(side.counts), maxBuckets)
		for _, count := range side.counts {
			total += count
		}
	}
	require.Equal(t, e.count, total)
	require.LessOrEqual(t, e.Bytes(), 2*8*(maxBuckets+32))
	require.GreaterOrEqual(t, e.scale, int32(minScale))
}

// exponentialPoint has as many buckets as an SDK creates at most.
func exponentialPoint(scale int32, threshold float64) pmetric.ExponentialHistogramDataPoint {
	dp := pmetric.NewExponentialHistogramDataPoint()
	dp.SetScale(scale)
	dp.SetZeroThreshold(threshold)
	dp.Positive().SetOffset(-20)
	for range maxBuckets {
		dp.Positive().BucketCounts().Append(10)
	}
	dp.SetCount(10 * maxBuckets)
	dp.SetSum(1234)
	return dp
}
