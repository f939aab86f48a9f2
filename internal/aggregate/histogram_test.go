// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// histogramInput is one input of a merge: raw observations and the bounds under which they are
// sent. Nil bounds mean that there are no buckets.
type histogramInput struct {
	observations
	bounds []float64
}

// countIn is the oracle: bucket i holds the values in (bounds[i-1], bounds[i]].
func countIn(bounds, values []float64) []uint64 {
	if len(bounds) == 0 {
		return nil
	}
	counts := make([]uint64, len(bounds)+1)
	for _, v := range values {
		i := 0
		for i < len(bounds) && v > bounds[i] {
			i++
		}
		counts[i]++
	}
	return counts
}

func (in histogramInput) point() pmetric.HistogramDataPoint {
	dp := pmetric.NewHistogramDataPoint()
	in.fill(dp)
	dp.ExplicitBounds().FromRaw(in.bounds)
	dp.BucketCounts().FromRaw(countIn(in.bounds, in.values))
	return dp
}

func (in histogramInput) read(t *testing.T) *Histogram {
	t.Helper()
	h, dp := &Histogram{}, in.point()
	require.True(t, h.Read(dp))
	for i := range dp.BucketCounts().Len() { // h must not share this memory
		dp.BucketCounts().SetAt(i, 99)
	}
	for i := range dp.ExplicitBounds().Len() {
		dp.ExplicitBounds().SetAt(i, 99)
	}
	return h
}

func (r random) values(n int) []float64 {
	values := make([]float64, r.IntN(n))
	for i := range values {
		values[i] = float64(r.IntN(120)-30) / 2 // on boundaries as well
	}
	return values
}

func (r random) bounds() []float64 {
	if r.IntN(20) == 0 {
		return nil
	}
	var bounds []float64
	keep := 1 + r.IntN(8)
	for _, bound := range []float64{math.Inf(-1), -10, -5, -0.5, 0, 1, 2, 5, 10, 20, math.Inf(1)} {
		if r.IntN(8) < keep {
			bounds = append(bounds, bound)
		}
	}
	return bounds
}

func (r random) histogramInput() histogramInput {
	return histogramInput{observations: observations{r.values(30), r.IntN(8) > 0, r.IntN(8) > 0, r.IntN(8) > 0}, bounds: r.bounds()}
}

// boundaries returns those that all inputs with observations share.
func boundaries(inputs []histogramInput) []float64 {
	var shared []float64
	first := true
	for _, in := range inputs {
		if len(in.values) == 0 {
			continue
		}
		if first {
			shared, first = slices.Clone(in.bounds), false
		}
		shared = slices.DeleteFunc(shared, func(bound float64) bool { return !slices.Contains(in.bounds, bound) })
	}
	return shared
}

func requireHistogram(t *testing.T, want observations, bounds []float64, got *Histogram) {
	t.Helper()
	requireTotals(t, want, &got.totals)
	dp := pmetric.NewHistogramDataPoint()
	dp.BucketCounts().FromRaw([]uint64{7, 7, 7}) // Write must replace them
	dp.ExplicitBounds().FromRaw([]float64{7, 7})
	dp.SetMin(7)
	dp.SetMax(7)
	dp.SetSum(7)
	got.Write(dp)
	if len(want.values) > 0 {
		requireSame(t, bounds, dp.ExplicitBounds().AsRaw())
	}
	counts := countIn(got.bounds, want.values)
	if counts == nil {
		counts = []uint64{dp.Count()}
	}
	require.Equal(t, counts, dp.BucketCounts().AsRaw())
	require.Equal(t, uint64(len(want.values)), dp.Count())
	require.Equal(t, got.hasSum, dp.HasSum())
	require.Equal(t, got.hasMin, dp.HasMin())
	require.Equal(t, got.hasMax, dp.HasMax())
}

// TestHistogramAdd checks that inputs with any bounds, in any order and grouping, merge to the
// counts of the raw observations between their shared bounds.
func TestHistogramAdd(t *testing.T) {
	forSeeds(t, 3000, func(t *testing.T, r random) {
		inputs := make([]histogramInput, 1+r.IntN(6))
		var all observations
		for i := range inputs {
			inputs[i] = r.histogramInput()
			all = all.both(inputs[i].observations)
		}
		for range 3 {
			r.Shuffle(len(inputs), func(i, j int) { inputs[i], inputs[j] = inputs[j], inputs[i] })
			parts := make([]*Histogram, len(inputs))
			for i, in := range inputs {
				parts[i] = in.read(t)
			}
			for len(parts) > 1 {
				i := r.IntN(len(parts) - 1)
				var before Histogram
				before.Set(parts[i+1])
				parts[i].Add(parts[i+1])
				requireUnchanged(t, &before, parts[i+1])
				scribble(parts[i+1])
				parts = slices.Delete(parts, i+1, i+2)
			}
			requireHistogram(t, all, boundaries(inputs), parts[0])
		}
	})
}

func requireUnchanged(t *testing.T, before, after *Histogram) {
	t.Helper()
	require.Equal(t, before.totals, after.totals)
	requireSame(t, before.bounds, after.bounds)
	requireSame(t, before.counts, after.counts)
}

// scribble overwrites memory that must not be shared.
func scribble(h *Histogram) {
	bounds, counts := h.bounds[:cap(h.bounds)], h.counts[:cap(h.counts)]
	for i := range bounds {
		bounds[i] = -77
	}
	for i := range counts {
		counts[i] = 77
	}
}

// TestHistogramSub checks that increments have the counts of the observations since then, with
// any change of bounds. Added up again, they give the whole.
func TestHistogramSub(t *testing.T) {
	forSeeds(t, 3000, func(t *testing.T, r random) {
		bounds := r.bounds()
		var sent []histogramInput
		var prev, sum Histogram
		var all observations
		for range 1 + r.IntN(5) {
			if r.IntN(3) == 0 {
				bounds = r.bounds()
			}
			known := r.known()
			increment := observations{values: r.values(20)}
			all.values = append(all.values, increment.values...)
			all.sum, all.low, all.high = known.sum, known.low, known.high
			in := histogramInput{all, bounds}
			sent = append(sent, in)

			h := in.read(t)
			var cur, before Histogram
			cur.Set(h)
			before.Set(&prev)
			require.False(t, h.Sub(&prev))
			requireUnchanged(t, &before, &prev)
			last := sent[max(len(sent)-2, 0):]
			increment.sum = known.sum && (len(last[0].values) == 0 || last[0].sum)
			requireHistogram(t, increment, boundaries(last), h)
			sum.Add(h)

			var back Histogram
			back.Set(&prev)
			back.Add(h)
			require.Equal(t, cur.count, back.count)
			requireSame(t, countIn(back.bounds, all.values), back.counts)
			prev.Set(&cur)
			scribble(&cur)
		}
		require.Equal(t, uint64(len(all.values)), sum.count)
	})
}

func TestHistogramSubReset(t *testing.T) {
	f := func(prev, cur histogramInput, want bool) {
		t.Helper()
		h, p := cur.read(t), prev.read(t)
		var before Histogram
		before.Set(h)
		require.Equal(t, want, h.Sub(p))
		if want {
			requireUnchanged(t, &before, h)
		}
	}
	in := func(bounds []float64, values ...float64) histogramInput {
		return histogramInput{observations{values, true, true, true}, bounds}
	}
	f(in(nil), in(nil), false)
	f(in(nil, 1, 2), in(nil, 1, 2), false)
	f(in(nil, 1, 2), in(nil, 1), true)
	f(in([]float64{5}, 1, 2), in([]float64{5}), true)
	f(in([]float64{5}, 1, 2), in([]float64{5}, 1, 6, 7, 8), true) // the count alone does not show the reset
	f(in([]float64{5}, 6), in([]float64{5}, 6, -100), false)      // a sum that decreases is no reset
	f(in([]float64{5, 7}, 6), in([]float64{5, 6}, 6), false)
	f(in([]float64{5, 7}, 6), in([]float64{5, 6}, 4, 4), true)
	f(in([]float64{5}, 6), in([]float64{4}, 1, 1), false) // without shared buckets, only the count shows a reset
	f(in([]float64{5}, 6), in(nil, 1, 1), false)

	var empty Histogram
	h := in([]float64{5}, 6).read(t)
	require.False(t, h.Sub(&empty))
	requireHistogram(t, observations{values: []float64{6}, sum: true}, []float64{5}, h)
	require.True(t, empty.Sub(h))
	require.False(t, empty.present)
}

func TestHistogramOverflow(t *testing.T) {
	f := func(a, b, want uint64) {
		t.Helper()
		h, o := Histogram{}, Histogram{}
		for in, count := range map[*Histogram]uint64{&h: a, &o: b} {
			dp := pmetric.NewHistogramDataPoint()
			dp.SetCount(count)
			dp.ExplicitBounds().FromRaw([]float64{1})
			dp.BucketCounts().FromRaw([]uint64{count, 0})
			require.True(t, in.Read(dp))
		}
		h.Add(&o)
		require.Equal(t, want, h.count)
		require.Equal(t, []uint64{want, 0}, h.counts)
	}
	f(1, math.MaxUint64-1, math.MaxUint64)
	f(2, math.MaxUint64-1, 2)
	f(math.MaxUint64, 1, math.MaxUint64)
}
