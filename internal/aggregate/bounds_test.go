// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// exponentialOf returns a point of positive buckets.
func exponentialOf(scale, offset int32, counts ...uint64) pmetric.ExponentialHistogramDataPoint {
	dp := pmetric.NewExponentialHistogramDataPoint()
	dp.SetScale(scale)
	dp.Positive().SetOffset(offset)
	dp.Positive().BucketCounts().FromRaw(counts)
	for _, count := range counts {
		dp.SetCount(dp.Count() + count)
	}
	return dp
}

// encoded returns a point as bytes, in which NaN equals itself.
func encoded(t *testing.T, dp pmetric.ExponentialHistogramDataPoint) []byte {
	t.Helper()
	md := pmetric.NewMetrics()
	dp.CopyTo(md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptyExponentialHistogram().DataPoints().AppendEmpty())
	data, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
	require.NoError(t, err)
	return data
}

func TestBoundExponential(t *testing.T) {
	f := func(dp pmetric.ExponentialHistogramDataPoint, want Bounds) pmetric.ExponentialHistogramDataPoint {
		t.Helper()
		before := encoded(t, dp)
		require.Equal(t, want, BoundExponential(dp))
		if want == Within || want.Drop() {
			require.Equal(t, before, encoded(t, dp), "changed")
			return dp
		}
		require.Equal(t, Within, BoundExponential(dp), "is not enough")
		return dp
	}
	f(pmetric.NewExponentialHistogramDataPoint(), Within)
	for _, scale := range []int32{minScale, 0, 3, maxScale} {
		f(exponentialOf(scale, 0, 1, 2), Within)
	}
	for _, scale := range []int32{minScale - 1, maxScale + 1, -40, 40, math.MinInt32, math.MaxInt32} {
		f(exponentialOf(scale, 0, 1), InvalidScale)
		f(exponentialOf(scale, 0), InvalidScale)
	}
	// No floating-point number is in these buckets.
	f(exponentialOf(0, 1025, 1), InvalidIndex)
	f(exponentialOf(0, -1077, 1), InvalidIndex)
	f(exponentialOf(20, math.MaxInt32, 1), InvalidIndex)
	f(exponentialOf(20, math.MinInt32, 1), InvalidIndex)
	f(exponentialOf(0, math.MaxInt32, 0, 1), InvalidIndex)
	// Floating-point numbers are there, but two such points are far apart.
	for _, offset := range []int32{1 << 30, -1 << 30, 1 << 27, -1 << 27, maxIndex, -maxIndex - 1} {
		dp := f(exponentialOf(20, min(offset, 1<<30-2), 1, 2), TooFine)
		require.EqualValues(t, 3, dp.Count())
		require.LessOrEqual(t, dp.Positive().Offset(), int32(maxIndex))
		require.GreaterOrEqual(t, dp.Positive().Offset(), int32(-maxIndex))
	}
	f(exponentialOf(20, maxIndex-2, 1, 2), Within)
	f(exponentialOf(20, -maxIndex, 1, 2), Within)
	// Buckets of float32 values stay at scale 8.
	f(exponentialOf(8, 127<<8, 1), Within)

	f(exponentialOf(3, -80, slices.Repeat([]uint64{1}, maxBuckets)...), Within)
	wide := f(exponentialOf(3, -80, slices.Repeat([]uint64{1}, maxBuckets+1)...), TooManyBuckets)
	require.EqualValues(t, 2, wide.Scale())
	require.EqualValues(t, -40, wide.Positive().Offset())
	require.Equal(t, 81, wide.Positive().BucketCounts().Len())

	// Empty buckets cost memory as well, but no resolution.
	empty := f(exponentialOf(3, 0, append(make([]uint64, 10_000_000), 1)[9_999_990:]...), Within)
	require.Equal(t, 11, empty.Positive().BucketCounts().Len())
	empty = f(exponentialOf(3, math.MinInt32, make([]uint64, 10_000_000)...), TooManyBuckets)
	require.Zero(t, empty.Positive().BucketCounts().Len())
	far := f(exponentialOf(3, -100_000, append(make([]uint64, 100_000), 1)...), TooManyBuckets)
	require.Equal(t, []uint64{1}, far.Positive().BucketCounts().AsRaw())
	require.EqualValues(t, 3, far.Scale())
	f(exponentialOf(3, math.MaxInt32), Within) // an offset without buckets

	threshold := func(v float64) pmetric.ExponentialHistogramDataPoint {
		dp := exponentialOf(0, 0, 1)
		dp.SetZeroThreshold(v)
		return dp
	}
	f(threshold(1), Within)
	for _, v := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		f(threshold(v), InvalidZeroThreshold)
	}

	count := func(n uint64, counts ...uint64) pmetric.ExponentialHistogramDataPoint {
		dp := exponentialOf(0, 0, counts...)
		dp.SetCount(n)
		return dp
	}
	f(count(7, 1, 2, 3), InvalidCount)
	f(count(5, 1, 2, 3), InvalidCount)
	f(count(1, math.MaxUint64, 2), InvalidCount)
	f(count(1<<63, 1<<63), InvalidCount)
	f(count(1<<63-1, 1<<63-1), Within)
	nan := count(7, 1, 2, 3) // one observation is NaN
	nan.SetSum(math.NaN())
	f(nan, Within)
	nan.SetCount(5)
	f(nan, InvalidCount)

	stale := exponentialOf(40, math.MaxInt32, 1, 2)
	stale.Attributes().PutStr("k", "v")
	stale.SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(true))
	f(stale, NoValue)
	require.Zero(t, stale.Positive().BucketCounts().Len())
	require.Equal(t, 1, stale.Attributes().Len())
}

func TestBoundHistogram(t *testing.T) {
	point := func(bounds []float64, counts ...uint64) pmetric.HistogramDataPoint {
		dp := pmetric.NewHistogramDataPoint()
		dp.ExplicitBounds().FromRaw(bounds)
		dp.BucketCounts().FromRaw(counts)
		return dp
	}
	f := func(dp pmetric.HistogramDataPoint, want Bounds) pmetric.HistogramDataPoint {
		t.Helper()
		require.Equal(t, want, BoundHistogram(dp))
		if !want.Drop() {
			require.Equal(t, Within, BoundHistogram(dp), "is not enough")
		}
		return dp
	}
	nan, inf := math.NaN(), math.Inf(1)
	f(point(nil), Within)
	f(point(nil, 3), Within)
	f(point([]float64{1, 2}, 1, 2, 3), Within)
	f(point([]float64{-inf, 2, inf}, 0, 1, 2, 0), Within)
	f(point([]float64{1, 2}), InvalidBounds)
	f(point(nil, 1, 2), InvalidBounds)
	f(point([]float64{1, 2}, 1, 2), InvalidBounds)
	f(point([]float64{1, 2}, 1, 2, 3, 4), InvalidBounds)
	f(point([]float64{2, 1}, 1, 2, 3), InvalidBounds)
	f(point([]float64{1, 1}, 1, 2, 3), InvalidBounds)
	f(point([]float64{nan}, 1, 2), InvalidBounds)
	f(point([]float64{1, nan}, 1, 2, 3), InvalidBounds)

	var bounds []float64
	for i := range 3 * maxExplicitBuckets {
		bounds = append(bounds, float64(i))
	}
	f(point(bounds[:maxExplicitBuckets-1], slices.Repeat([]uint64{1}, maxExplicitBuckets)...), Within)
	wide := f(point(bounds, slices.Repeat([]uint64{1}, len(bounds)+1)...), TooManyBuckets)
	require.LessOrEqual(t, wide.BucketCounts().Len(), maxExplicitBuckets)
	below := uint64(0)
	for i, bound := range wide.ExplicitBounds().All() {
		below += wide.BucketCounts().At(i)
		require.Equal(t, uint64(bound)+1, below, "up to %v", bound)
	}
	require.Equal(t, uint64(len(bounds)+1), below+wide.BucketCounts().At(wide.BucketCounts().Len()-1))

	stale := point([]float64{2, 1}, 1, 2, 3, 4)
	stale.SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(true))
	f(stale, NoValue)
}

func TestBoundSummary(t *testing.T) {
	f := func(quantiles []float64, want ...float64) {
		t.Helper()
		dp := pmetric.NewSummaryDataPoint()
		for _, q := range quantiles {
			dp.QuantileValues().AppendEmpty().SetQuantile(q)
		}
		result := InvalidQuantiles
		if len(want) == len(quantiles) {
			result = Within
		}
		require.Equal(t, result, BoundSummary(dp))
		var got []float64
		for _, value := range dp.QuantileValues().All() {
			got = append(got, value.Quantile())
		}
		requireSame(t, want, got)
	}
	f(nil)
	f([]float64{0, 0.5, 1}, 0, 0.5, 1)
	f([]float64{1, 0.5, 0}, 1, 0.5, 0) // in any order
	f([]float64{0.5, 0.5}, 0.5)
	f([]float64{math.NaN(), -0.1, 0.9, 1.1, math.Inf(1)}, 0.9)
	many := make([]float64, 2*maxQuantiles)
	for i := range many {
		many[i] = float64(i) / float64(len(many))
	}
	f(many, many[:maxQuantiles]...)
}

// FuzzBounds checks that a kept point is within bounds, has the same counts at each remaining
// boundary, and is cheap to add to any other kept point.
func FuzzBounds(f *testing.F) {
	f.Add(int32(20), int32(1<<27), []byte{1, 0, 3}, int32(0), int32(-3), []byte{0, 0, 1})
	f.Add(int32(20), int32(1<<30-3), []byte{1, 0, 3}, int32(20), int32(-1<<30), []byte{1})
	f.Add(int32(40), int32(1<<30), []byte{1}, int32(-40), int32(math.MinInt32), []byte{9})
	f.Add(int32(3), int32(-33), []byte{1, 2, 3, 4, 5}, int32(0), int32(7), []byte{1})
	f.Add(int32(5), int32(-200), make([]byte, 400), int32(-10), int32(-2), []byte{1, 1, 1})
	f.Fuzz(func(t *testing.T, scale, offset int32, counts []byte, scale2, offset2 int32, counts2 []byte) {
		if len(counts)+len(counts2) > 1<<12 {
			return
		}
		var sum Exponential
		total := uint64(0)
		for _, dp := range []pmetric.ExponentialHistogramDataPoint{exponentialBytes(scale, offset, counts), exponentialBytes(scale2, offset2, counts2)} {
			before := pmetric.NewExponentialHistogramDataPoint()
			dp.CopyTo(before)
			if b := BoundExponential(dp); b.Drop() {
				continue
			}
			require.Equal(t, Within, BoundExponential(dp))
			requireDownscaled(t, before, dp)
			var e Exponential
			require.True(t, e.Read(dp))
			sum.Add(&e)
			total += dp.Count()
			requireBounded(t, &sum)
			require.Equal(t, total, sum.count)
		}
	})
}

// exponentialBytes returns a point with some buckets of both signs.
func exponentialBytes(scale, offset int32, counts []byte) pmetric.ExponentialHistogramDataPoint {
	wide := make([]uint64, len(counts))
	for i, count := range counts {
		wide[i] = uint64(count)
	}
	dp := exponentialOf(scale, offset, wide...)
	dp.Positive().CopyTo(dp.Negative())
	dp.SetZeroCount(1)
	dp.SetCount(2*dp.Count() + 1)
	return dp
}

// requireDownscaled fails unless b is a, downscaled to the same or a smaller scale.
func requireDownscaled(t *testing.T, a, b pmetric.ExponentialHistogramDataPoint) {
	t.Helper()
	require.LessOrEqual(t, b.Scale(), a.Scale())
	shift := a.Scale() - b.Scale()
	at := func(dp pmetric.ExponentialHistogramDataPointBuckets, shift int32) map[int64]uint64 {
		counts := map[int64]uint64{}
		for i, count := range dp.BucketCounts().All() {
			if count > 0 {
				counts[(int64(dp.Offset())+int64(i))>>shift] += count
			}
		}
		return counts
	}
	require.Equal(t, at(a.Positive(), shift), at(b.Positive(), 0))
	require.Equal(t, at(a.Negative(), shift), at(b.Negative(), 0))
	require.Equal(t, a.Count(), b.Count())
	require.Equal(t, a.ZeroCount(), b.ZeroCount())
}
