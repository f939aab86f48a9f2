// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// near returns values around a common one: close together, within some octaves, or anywhere.
// Their sums need not be exact.
func (r random) near(n int) (values []float64, exact bool) {
	kind, center, signs := r.IntN(6), math.Ldexp(1, r.IntN(5)), r.IntN(3)
	for range r.IntN(n) {
		v := 0.0
		switch {
		case kind == 0:
			v = math.Ldexp(1+r.Float64(), r.IntN(2098)-1075)
		case kind == 1:
			v = center * (1 + math.Ldexp(float64(r.IntN(64)), -20))
		case r.IntN(4) == 0:
			v = math.Ldexp(1, r.IntN(20)-10) // on a boundary
		default:
			v = math.Ldexp(float64(1+r.IntN(1000)), -r.IntN(12))
		}
		if signs == 0 || signs == 1 && r.IntN(2) == 0 {
			v = -v
		}
		if r.IntN(20) == 0 {
			v = 0
		}
		values = append(values, v)
	}
	return values, kind != 0
}

// layout chooses a layout in which a point of the values is not too large, but may have more
// buckets than maxBuckets.
func (r random) layout(values []float64, thresholds bool) layout {
	l := layout{scale: minScale + int32(r.IntN(maxScale-minScale+1))}
	if thresholds && r.IntN(2) == 0 {
		l.threshold = []float64{1e-300, 0.25, 0.3, 1, 1.5, 2, 10, 1000, math.MaxFloat64}[min(r.IntN(9), r.IntN(9))]
	}
	for {
		_, positive, negative := l.count(values)
		if max(width(positive), width(negative)) <= 400 {
			return l
		}
		l.scale--
	}
}

func (r random) exponentialInput(thresholds bool) exponentialInput {
	in := exponentialInput{observations: r.known(), pad: r.IntN(5)}
	var exact bool
	in.values, exact = r.near(40)
	in.sum = in.sum && exact
	in.layout = r.layout(in.values, thresholds)
	return in
}

// fittest is the oracle for the scale without zero thresholds: the largest one that is not
// above any input's and that has room for all values.
func fittest(inputs []exponentialInput, values []float64) int32 {
	scale := int32(math.MaxInt32)
	for _, in := range inputs {
		if _, positive, negative := in.count(in.values); len(positive)+len(negative) > 0 {
			scale = min(scale, in.scale)
		}
	}
	for {
		_, positive, negative := layout{scale: scale}.count(values)
		if max(width(positive), width(negative)) <= maxBuckets {
			return scale
		}
		scale--
	}
}

// TestExponentialAdd checks that inputs with any scales and thresholds, in any order and
// grouping, merge to the counts of the raw observations.
func TestExponentialAdd(t *testing.T) {
	forSeeds(t, 1500, func(t *testing.T, r random) {
		thresholds := r.IntN(2) == 0
		inputs := make([]exponentialInput, 1+r.IntN(6))
		var all observations
		threshold := 0.0
		for i := range inputs {
			inputs[i] = r.exponentialInput(thresholds)
			all = all.both(inputs[i].observations)
			if len(inputs[i].values) > 0 {
				threshold = max(threshold, inputs[i].threshold)
			}
		}
		for range 2 {
			r.Shuffle(len(inputs), func(i, j int) { inputs[i], inputs[j] = inputs[j], inputs[i] })
			parts := make([]*Exponential, len(inputs))
			scale := int32(maxScale) // the smallest scale of any intermediate result
			for i, in := range inputs {
				parts[i] = in.read(t)
				scale = min(scale, parts[i].scale)
			}
			for len(parts) > 1 {
				i := r.IntN(len(parts) - 1)
				var before Exponential
				before.Set(parts[i+1])
				parts[i].Add(parts[i+1])
				scale = min(scale, parts[i].scale)
				requireSameExponential(t, &before, parts[i+1])
				scribbleExponential(parts[i+1])
				parts = slices.Delete(parts, i+1, i+2)
			}
			got := parts[0]
			requireExponential(t, all, got)
			if len(all.values) == 0 {
				continue
			}
			if !thresholds && !got.noBuckets() {
				require.Equal(t, fittest(inputs, all.values), got.scale, "scale")
			}
			require.GreaterOrEqual(t, got.zeroThreshold, threshold)
			if threshold > 0 {
				require.LessOrEqual(t, got.zeroThreshold, upper(scale, int64(indexOf(scale, threshold))), "threshold")
			} else {
				require.Zero(t, got.zeroThreshold)
			}
		}
	})
}

// TestExponentialSub checks that increments have the counts of the observations since then,
// with any change of scale and threshold. Added up again, they give the whole.
func TestExponentialSub(t *testing.T) {
	forSeeds(t, 1500, func(t *testing.T, r random) {
		var prev, sum Exponential
		var all, last observations
		exact := true
		for range 1 + r.IntN(5) {
			values, ok := r.near(20)
			exact = exact && ok
			last, all = all, r.known()
			all.values = append(slices.Clone(last.values), values...)
			all.sum = all.sum && exact
			e := exponentialInput{all, r.layout(all.values, true), r.IntN(3)}.read(t)

			var cur, before, back Exponential
			cur.Set(e)
			before.Set(&prev)
			require.False(t, e.Sub(&prev))
			requireSameExponential(t, &before, &prev)
			known := all.sum && (last.sum || len(last.values) == 0)
			requireExponential(t, observations{values: values, sum: known}, e)
			if e.count > 0 && !e.noBuckets() {
				require.GreaterOrEqual(t, e.scale, min(cur.scale, prev.scale), "resolution lost")
			}

			back.Set(&prev)
			back.Add(e)
			requireExponential(t, last.both(observations{values: values, sum: known}), &back)
			sum.Add(e)
			prev.Set(&cur)
			scribbleExponential(&cur)
		}
		requireExponential(t, observations{values: all.values, sum: sum.hasSum}, &sum)
	})
}

func requireSameExponential(t *testing.T, want, got *Exponential) {
	t.Helper()
	a, b := *want, *got
	requireSame(t, a.positive.counts, b.positive.counts)
	requireSame(t, a.negative.counts, b.negative.counts)
	a.positive.counts, a.negative.counts, b.positive.counts, b.negative.counts = nil, nil, nil, nil
	require.Equal(t, a, b)
}

// scribbleExponential overwrites memory that must not be shared.
func scribbleExponential(e *Exponential) {
	for _, counts := range [][]uint64{e.positive.counts, e.negative.counts} {
		counts = counts[:cap(counts)]
		for i := range counts {
			counts[i] = 77
		}
	}
}

// exponential returns a histogram that is read from a point of positive buckets.
func exponential(t *testing.T, scale int32, threshold float64, zeros uint64, offset int32, counts ...uint64) *Exponential {
	t.Helper()
	dp := pmetric.NewExponentialHistogramDataPoint()
	total := zeros
	for _, count := range counts {
		total += count
	}
	dp.SetCount(total)
	dp.SetScale(scale)
	dp.SetZeroThreshold(threshold)
	dp.SetZeroCount(zeros)
	dp.Positive().SetOffset(offset)
	dp.Positive().BucketCounts().FromRaw(counts)
	var e Exponential
	require.True(t, e.Read(dp))
	return &e
}

func TestExponentialThreshold(t *testing.T) {
	f := func(a, b, want *Exponential) {
		t.Helper()
		var ab, ba Exponential
		ab.Set(a)
		ab.Add(b)
		requireSameExponential(t, want, &ab)
		ba.Set(b)
		ba.Add(a)
		requireSameExponential(t, want, &ba)
	}
	// At scale 0, the boundaries are 1, 2, 4, 8 and the first bucket is (1, 2].
	one := exponential(t, 0, 0, 0, 0, 1, 0, 1)
	f(one, exponential(t, 0, 0.5, 1, 0), exponential(t, 0, 0.5, 1, 0, 1, 0, 1))
	f(one, exponential(t, 0, 1, 1, 0), exponential(t, 0, 1, 1, 0, 1, 0, 1))
	f(one, exponential(t, 0, 1.5, 1, 0), exponential(t, 0, 2, 2, 2, 1)) // cuts (1, 2]
	f(one, exponential(t, 0, 2, 1, 0), exponential(t, 0, 2, 2, 2, 1))
	f(one, exponential(t, 0, 3, 1, 0), exponential(t, 0, 3, 2, 2, 1)) // (2, 4] is empty
	f(one, exponential(t, 0, 5, 1, 0), exponential(t, 0, 8, 3, 0))
	f(one, exponential(t, 0, 100, 1, 0), exponential(t, 0, 100, 3, 0))
	// The raised threshold cuts a bucket of the second histogram: (1, 16] at scale -2.
	f(one, exponential(t, -2, 1.5, 0, 0, 1), exponential(t, -2, 16, 3, 0))
	// The greatest bucket has no finite upper boundary.
	f(exponential(t, 0, 0, 0, 1023, 1), exponential(t, 0, 0x1.8p1023, 1, 0), exponential(t, 0, math.MaxFloat64, 2, 0))
	// A histogram with a count of 0 does not raise the threshold.
	f(one, exponential(t, -5, 100, 0, 0), one)
}

func TestExponentialSubReset(t *testing.T) {
	f := func(prev, cur *Exponential, want bool) {
		t.Helper()
		var before, e Exponential
		before.Set(cur)
		e.Set(cur)
		require.Equal(t, want, e.Sub(prev))
		if want {
			requireSameExponential(t, &before, &e)
		}
	}
	f(exponential(t, 0, 0, 1, 0, 1), exponential(t, 0, 0, 1, 0, 1), false)
	f(exponential(t, 0, 0, 1, 0, 1), exponential(t, 0, 0, 1, 0), true)
	f(exponential(t, 0, 0, 1, 0), exponential(t, 0, 0, 0, 0, 9), true)         // zeros decreased
	f(exponential(t, 0, 0, 1, 0, 1), exponential(t, 0, 0, 1, 1, 9), true)      // the bucket decreased
	f(exponential(t, 0, 0, 0, 4, 1, 1), exponential(t, -1, 0, 0, 2, 2), false) // downscaled
	f(exponential(t, 0, 0, 0, 4, 1, 1), exponential(t, -1, 0, 0, 2, 1, 5), true)
	f(exponential(t, -1, 0, 0, 2, 2), exponential(t, 0, 0, 0, 4, 1, 1), false)
	f(exponential(t, 0, 0, 0, 0, 1), exponential(t, 0, 2, 1, 0), false) // the threshold was raised
	f(exponential(t, 0, 0, 0, 0, 2), exponential(t, 0, 2, 1, 4, 3), true)
	f(exponential(t, 0, 8, 0, 0), exponential(t, 0, 0, 0, 0, 1), false) // from a histogram with a count of 0
	f(&Exponential{}, exponential(t, 0, 0, 1, 0, 1), false)
	f(exponential(t, 0, 0, 1, 0, 1), &Exponential{}, true)
}

func TestExponentialOverflow(t *testing.T) {
	e := exponential(t, 0, 0, 0, 0, 2)
	e.Add(exponential(t, 0, 0, 0, 0, math.MaxUint64-1))
	requireSameExponential(t, exponential(t, 0, 0, 0, 0, 2), e)
}

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
	in.fill(dp)
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
