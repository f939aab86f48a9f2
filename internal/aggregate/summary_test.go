// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

func summary(t *testing.T, count uint64, sum float64) *Summary {
	t.Helper()
	dp := pmetric.NewSummaryDataPoint()
	dp.SetCount(count)
	dp.SetSum(sum)
	dp.QuantileValues().AppendEmpty().SetQuantile(0.5)
	var s Summary
	require.True(t, s.Read(dp))
	return &s
}

func requireSummary(t *testing.T, count uint64, sum float64, s *Summary) {
	t.Helper()
	dp := pmetric.NewSummaryDataPoint()
	dp.QuantileValues().AppendEmpty().SetQuantile(0.5)
	s.Write(dp)
	require.Equal(t, count, dp.Count())
	require.Zero(t, dp.QuantileValues().Len())
	if math.IsNaN(sum) {
		require.True(t, math.IsNaN(dp.Sum()))
	} else {
		require.Equal(t, sum, dp.Sum())
	}
}

func TestSummaryAdd(t *testing.T) {
	f := func(a, b *Summary, count uint64, sum float64) {
		t.Helper()
		for _, order := range [][2]*Summary{{a, b}, {b, a}} {
			var s Summary
			s.Set(order[0])
			s.Add(order[1])
			requireSummary(t, count, sum, &s)
		}
	}
	f(&Summary{}, &Summary{}, 0, 0)
	f(&Summary{}, summary(t, 2, 3), 2, 3)
	f(summary(t, 1, -2), summary(t, 2, 3), 3, 1)
	f(summary(t, 1, math.NaN()), summary(t, 2, 3), 3, math.NaN())
	f(summary(t, 0, math.NaN()), summary(t, 2, 3), 2, 3)

	s := summary(t, 3, 1)
	s.Add(summary(t, math.MaxUint64, 1))
	requireSummary(t, 3, 1, s)
}

func TestSummarySub(t *testing.T) {
	f := func(prev, cur *Summary, reset bool, count uint64, sum float64) {
		t.Helper()
		require.Equal(t, reset, cur.Sub(prev))
		requireSummary(t, count, sum, cur)
	}
	f(&Summary{}, summary(t, 2, 3), false, 2, 3)
	f(summary(t, 1, 2), summary(t, 2, 3), false, 1, 1)
	f(summary(t, 1, 5), summary(t, 2, 3), false, 1, -2)
	f(summary(t, 3, 2), summary(t, 2, 3), true, 2, 3)
	f(summary(t, 1, math.NaN()), summary(t, 2, 3), false, 1, math.NaN())
	f(summary(t, 1, 2), &Summary{}, true, 0, 0)
}
