// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

func TestReadTotals(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	f := func(count uint64, sum, low, high float64, want totals) {
		t.Helper()
		dp := pmetric.NewHistogramDataPoint()
		dp.SetCount(count)
		dp.SetSum(sum)
		dp.SetMin(low)
		dp.SetMax(high)
		want.present, want.count = true, count
		var got totals
		readTotals(&got, dp)
		require.Equal(t, want, got)
	}
	f(3, 4, 1, 2, totals{sum: 4, hasSum: true, min: 1, hasMin: true, max: 2, hasMax: true})
	f(3, nan, 1, 2, totals{min: 1, hasMin: true, max: 2, hasMax: true})
	f(3, inf, 1, 2, totals{min: 1, hasMin: true, max: 2, hasMax: true})
	f(3, -inf, -inf, inf, totals{min: -inf, hasMin: true, max: inf, hasMax: true})
	f(3, 4, nan, 2, totals{sum: 4, hasSum: true, max: 2, hasMax: true})
	f(3, 4, 1, nan, totals{sum: 4, hasSum: true, min: 1, hasMin: true})
	f(3, 4, 2, 1, totals{sum: 4, hasSum: true})
	f(0, 0, inf, -inf, totals{hasSum: true}) // what some SDKs send for an empty histogram
	f(0, 0, 0, 0, totals{hasSum: true})
}

// TestSumWithoutCount checks that no part of the sum is lost when a producer is read after it
// added to its sum and before it added to its count.
func TestSumWithoutCount(t *testing.T) {
	early := totals{present: true, sum: 5, hasSum: true}
	late := totals{present: true, count: 1, hasSum: true}
	f := func(parts ...totals) {
		t.Helper()
		sum := totals{present: true}
		for _, part := range parts {
			sum.add(&part)
		}
		require.Equal(t, totals{present: true, count: 1, sum: 5, hasSum: true}, sum)
	}
	f(early, late)
	f(late, early)
}

func TestSumOverflow(t *testing.T) {
	a := totals{present: true, count: 1, sum: math.MaxFloat64, hasSum: true}
	a.add(&totals{present: true, count: 1, sum: math.MaxFloat64, hasSum: true})
	require.Equal(t, totals{present: true, count: 2}, a)
}
