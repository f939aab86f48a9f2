// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

const precision = 300 // bits, far more than are needed to distinguish a number from a boundary

// roots[n] is 2^(2^-n).
var roots = func() []*big.Float {
	roots := []*big.Float{big.NewFloat(2).SetPrec(precision)}
	for range maxScale {
		roots = append(roots, new(big.Float).SetPrec(precision).Sqrt(roots[len(roots)-1]))
	}
	return roots
}()

// indexOf is the oracle for the bucket of a positive value: the i with base^i < v <=
// base^(i+1). It compares v with boundaries.
func indexOf(scale int32, v float64) int {
	fraction, exponent := math.Frexp(v) // v = fraction * 2^exponent, 1/2 <= fraction < 1
	octave := exponent - 1
	if fraction == 0.5 {
		octave-- // a boundary belongs to the bucket below it
	}
	if scale <= 0 {
		return int(math.Floor(float64(octave) / float64(int(1)<<-scale)))
	}
	// Above 2^octave, find the index one binary digit at a time.
	rest := new(big.Float).SetPrec(precision).SetMantExp(big.NewFloat(v), -octave)
	index := octave
	for n := 1; n <= int(scale); n++ {
		index *= 2
		if rest.Cmp(roots[n]) > 0 {
			rest.Quo(rest, roots[n])
			index++
		}
	}
	return index
}

// layout is the scale and the zero threshold under which observations are counted.
type layout struct {
	scale     int32
	threshold float64
}

// count counts raw observations by the definition of the buckets.
func (l layout) count(values []float64) (zeros uint64, positive, negative map[int]uint64) {
	positive, negative = map[int]uint64{}, map[int]uint64{}
	for _, v := range values {
		switch {
		case math.Abs(v) <= l.threshold:
			zeros++
		case v > 0:
			positive[indexOf(l.scale, v)]++
		default:
			negative[indexOf(l.scale, -v)]++
		}
	}
	return zeros, positive, negative
}

// exponentialInput is one input of a merge: raw observations and the layout in which they are
// sent.
type exponentialInput struct {
	observations
	layout
	pad int // empty buckets at both ends
}

// width returns the number of buckets between the outermost ones of a side.
func width(counts map[int]uint64) int {
	low, high := math.MaxInt, math.MinInt
	for i := range counts {
		low, high = min(low, i), max(high, i)
	}
	if len(counts) == 0 {
		return 0
	}
	return high - low + 1
}

func (in exponentialInput) point(t *testing.T) pmetric.ExponentialHistogramDataPoint {
	t.Helper()
	dp := pmetric.NewExponentialHistogramDataPoint()
	dp.SetCount(uint64(len(in.values)))
	sum, low, high := in.total()
	if in.sum {
		dp.SetSum(sum)
	}
	if in.low && len(in.values) > 0 {
		dp.SetMin(low)
	}
	if in.high && len(in.values) > 0 {
		dp.SetMax(high)
	}
	dp.SetScale(in.scale)
	dp.SetZeroThreshold(in.threshold)
	zeros, positive, negative := in.count(in.values)
	dp.SetZeroCount(zeros)
	fill := func(dp pmetric.ExponentialHistogramDataPointBuckets, counts map[int]uint64) {
		n := width(counts)
		require.Less(t, n, 1<<12, "the generator's fault")
		if n == 0 {
			dp.SetOffset(math.MaxInt32) // without buckets, the offset has no meaning
			dp.BucketCounts().FromRaw(make([]uint64, in.pad))
			return
		}
		first := math.MaxInt
		for i := range counts {
			first = min(first, i)
		}
		all := make([]uint64, n+2*in.pad)
		for i, count := range counts {
			all[i-first+in.pad] = count
		}
		dp.SetOffset(int32(first - in.pad))
		dp.BucketCounts().FromRaw(all)
	}
	fill(dp.Positive(), positive)
	fill(dp.Negative(), negative)
	return dp
}

func (in exponentialInput) read(t *testing.T) *Exponential {
	t.Helper()
	e, dp := &Exponential{}, in.point(t)
	require.True(t, e.Read(dp))
	for _, counts := range []pmetric.ExponentialHistogramDataPointBuckets{dp.Positive(), dp.Negative()} {
		for i := range counts.BucketCounts().Len() { // e must not share this memory
			counts.BucketCounts().SetAt(i, 99)
		}
	}
	return e
}

// requireExponential counts the observations under the layout of the written point, and
// compares the counts.
func requireExponential(t *testing.T, want observations, got *Exponential) {
	t.Helper()
	requireTotals(t, want, &got.totals)
	dp := pmetric.NewExponentialHistogramDataPoint()
	dp.Positive().BucketCounts().FromRaw([]uint64{7, 7, 7}) // Write must replace them
	dp.Negative().BucketCounts().FromRaw([]uint64{7, 7, 7})
	dp.Negative().SetOffset(7)
	got.Write(dp)
	require.Equal(t, uint64(len(want.values)), dp.Count())
	zeros, positive, negative := layout{dp.Scale(), dp.ZeroThreshold()}.count(want.values)
	require.Equal(t, zeros, dp.ZeroCount(), "zeros up to %v", dp.ZeroThreshold())
	compare := func(want map[int]uint64, dp pmetric.ExponentialHistogramDataPointBuckets) {
		t.Helper()
		n := dp.BucketCounts().Len()
		require.LessOrEqual(t, n, maxBuckets)
		found := map[int]uint64{}
		for i, count := range dp.BucketCounts().All() {
			if count > 0 {
				found[int(dp.Offset())+i] = count
			}
		}
		require.Equal(t, want, found)
		require.Equal(t, width(want), n, "empty buckets at an end")
	}
	compare(positive, dp.Positive())
	compare(negative, dp.Negative())
	require.LessOrEqual(t, got.Bytes(), 2*8*(maxBuckets+32))
}
