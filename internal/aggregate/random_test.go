// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// random generates raw observations, from which the oracles of the tests count.
type random struct{ *rand.Rand }

// forSeeds runs f with n new seeds, and names the seed that failed.
func forSeeds(t *testing.T, n int, f func(t *testing.T, r random)) {
	t.Helper()
	first := uint64(time.Now().UnixNano())
	for seed := first; seed < first+uint64(n); seed++ {
		r := newRandom(seed)
		f(t, r)
		if t.Failed() {
			t.Fatalf("with newRandom(%d)", seed)
		}
	}
}

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 1))} }

// observations are the values of one input. They have so few digits that their sums are exact
// in any order.
type observations struct {
	values         []float64
	sum, low, high bool // the totals that the point has
}

func (r random) known() observations {
	return observations{sum: r.IntN(8) > 0, low: r.IntN(8) > 0, high: r.IntN(8) > 0}
}

// both merges two inputs. Inputs without a value do not decide which totals are known.
func (o observations) both(other observations) observations {
	switch {
	case len(other.values) == 0:
		return o
	case len(o.values) == 0:
		return other
	}
	return observations{
		values: append(append([]float64(nil), o.values...), other.values...),
		sum:    o.sum && other.sum, low: o.low && other.low, high: o.high && other.high,
	}
}

func (o observations) total() (sum, low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range o.values {
		sum += v
		low, high = min(low, v), max(high, v)
	}
	return sum, low, high
}

// fill sets the count of a point, and the totals that it has.
func (o observations) fill(dp interface {
	SetCount(count uint64)
	SetSum(sum float64)
	SetMin(low float64)
	SetMax(high float64)
}) {
	dp.SetCount(uint64(len(o.values)))
	sum, low, high := o.total()
	if o.sum {
		dp.SetSum(sum)
	}
	if o.low && len(o.values) > 0 {
		dp.SetMin(low)
	}
	if o.high && len(o.values) > 0 {
		dp.SetMax(high)
	}
}

// requireTotals compares which totals are known, and the values of these.
func requireTotals(t *testing.T, want observations, got *totals) {
	t.Helper()
	require.Equal(t, uint64(len(want.values)), got.count, "count")
	if len(want.values) == 0 {
		require.False(t, got.hasMin || got.hasMax, "min or max of nothing")
		require.Zero(t, got.sum)
		return
	}
	sum, low, high := want.total()
	require.Equal(t, []bool{want.sum, want.low, want.high}, []bool{got.hasSum, got.hasMin, got.hasMax}, "known")
	if want.sum {
		require.Equal(t, sum, got.sum, "sum")
	}
	if want.low {
		require.Equal(t, low, got.min, "min")
	}
	if want.high {
		require.Equal(t, high, got.max, "max")
	}
}

// requireSame compares slices. Nil and empty slices are equal.
func requireSame[E any](t *testing.T, want, got []E) {
	t.Helper()
	if len(want)+len(got) > 0 {
		require.Equal(t, want, got)
	}
}
