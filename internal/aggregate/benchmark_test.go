// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// explicitPoint has the SDKs' default bounds, without the last ones.
func explicitPoint(bounds int) pmetric.HistogramDataPoint {
	all := []float64{0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10000}
	dp := pmetric.NewHistogramDataPoint()
	dp.ExplicitBounds().FromRaw(all[:bounds])
	dp.BucketCounts().FromRaw(make([]uint64, bounds+1))
	for i := range bounds {
		dp.BucketCounts().SetAt(i, 10)
	}
	dp.SetCount(uint64(10 * bounds))
	dp.SetSum(1234)
	dp.SetMin(1)
	dp.SetMax(99)
	return dp
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

// aggregated is the interface of all types of the package.
type aggregated[T, P any] interface {
	*T
	Read(P) bool
	Write(P)
	Set(*T)
	Add(*T)
	Sub(*T) bool
	Reset()
	Bytes() int
}

// TestNothingIsAllocated checks that a steady stream allocates nothing, even when the layout of
// each point has to be converted.
func TestNothingIsAllocated(t *testing.T) {
	testAllocs[Histogram](t, explicitPoint(15), explicitPoint(15), pmetric.NewHistogramDataPoint())
	testAllocs[Histogram](t, explicitPoint(15), explicitPoint(7), pmetric.NewHistogramDataPoint())
	testAllocs[Exponential](t, exponentialPoint(5, 0), exponentialPoint(5, 0), pmetric.NewExponentialHistogramDataPoint())
	testAllocs[Exponential](t, exponentialPoint(5, 0), exponentialPoint(3, 1), pmetric.NewExponentialHistogramDataPoint())
	testAllocs[Summary](t, pmetric.NewSummaryDataPoint(), pmetric.NewSummaryDataPoint(), pmetric.NewSummaryDataPoint())
}

func testAllocs[T, P any, A aggregated[T, P]](t *testing.T, first, second, out P) {
	t.Helper()
	var a, b, sum, prev, cur T
	require.Zero(t, A(&a).Bytes())
	perRound := testing.AllocsPerRun(100, func() {
		A(&a).Read(first)
		A(&b).Read(second)
		A(&sum).Reset()
		A(&sum).Add(&a)
		A(&sum).Add(&b)
		A(&prev).Set(&b)
		A(&cur).Set(&sum)
		A(&cur).Sub(&prev)
		A(&sum).Add(&cur)
		A(&sum).Write(out)
	})
	require.Zero(t, perRound)
}

func benchmark[T, P any, A aggregated[T, P]](b *testing.B, first, second, out P) {
	var one, other, sum, cur T
	require.True(b, A(&one).Read(first))
	require.True(b, A(&other).Read(second))
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
	run("Read", func() { A(&cur).Read(first) })
	run("Set", func() { A(&cur).Set(&one) })
	run("Set+Add", func() { A(&sum).Set(&one); A(&sum).Add(&other) })
	run("Set+Sub", func() { A(&cur).Set(&one); A(&cur).Sub(&one) })
	run("Write", func() { A(&one).Write(out) })
}

func BenchmarkHistogram(b *testing.B) {
	b.Run("same bounds", func(b *testing.B) {
		benchmark[Histogram](b, explicitPoint(15), explicitPoint(15), pmetric.NewHistogramDataPoint())
	})
	b.Run("other bounds", func(b *testing.B) {
		benchmark[Histogram](b, explicitPoint(15), explicitPoint(7), pmetric.NewHistogramDataPoint())
	})
}

func BenchmarkExponential(b *testing.B) {
	b.Run("same scale", func(b *testing.B) {
		benchmark[Exponential](b, exponentialPoint(5, 0), exponentialPoint(5, 0), pmetric.NewExponentialHistogramDataPoint())
	})
	b.Run("other scale", func(b *testing.B) {
		benchmark[Exponential](b, exponentialPoint(5, 0), exponentialPoint(3, 0), pmetric.NewExponentialHistogramDataPoint())
	})
	b.Run("other threshold", func(b *testing.B) {
		benchmark[Exponential](b, exponentialPoint(5, 0), exponentialPoint(5, 1), pmetric.NewExponentialHistogramDataPoint())
	})
}
