// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"math"
	"math/bits"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Bounds is the result of a check whether exporters can take a data point.
type Bounds uint8

// The results of a check, and what happens to the point.
const (
	// Within is a point that is not changed.
	Within Bounds = iota

	// TooManyBuckets is a histogram that lost resolution but no count.
	TooManyBuckets
	// TooFine is an exponential histogram with buckets far from 1 at a very fine scale. Two
	// such points are small, but an exporter that adds them creates all the buckets between
	// them. The point lost resolution but no count.
	TooFine
	// InvalidQuantiles is a summary that lost its invalid or repeated quantiles.
	InvalidQuantiles
	// NoValue is a stale marker (a point with the flag NoRecordedValue) that lost its buckets,
	// which it must not have.
	NoValue

	// InvalidScale is a histogram to drop: no SDK uses its scale.
	InvalidScale
	// InvalidIndex is a histogram to drop: its buckets are where no floating-point number is.
	InvalidIndex
	// InvalidZeroThreshold is a histogram to drop: its zero threshold is negative, infinite or
	// NaN.
	InvalidZeroThreshold
	// InvalidCount is a histogram to drop: its buckets do not add up to its count, or the count
	// exceeds the 63 bits that Prometheus stores. Prometheus refuses the whole request of such
	// a point.
	InvalidCount
	// InvalidBounds is a histogram to drop: its bounds do not increase, or the number of
	// buckets is not one more than the number of bounds.
	InvalidBounds

	boundsCount
)

const (
	// AllBounds is the number of values of Bounds.
	AllBounds = int(boundsCount)
	// FirstDropped is the first value that means that the point has to be dropped.
	FirstDropped = InvalidScale
)

var boundsNames = [...]string{
	Within: "within", TooManyBuckets: "buckets", TooFine: "resolution", InvalidQuantiles: "quantiles", NoValue: "no_value",
	InvalidScale: "scale", InvalidIndex: "index", InvalidZeroThreshold: "zero_threshold", InvalidCount: "count", InvalidBounds: "bounds",
}

// String returns the value's name in the product's own metrics.
func (b Bounds) String() string { return boundsNames[b] }

// Drop reports whether the point has to be dropped.
func (b Bounds) Drop() bool { return b >= FirstDropped }

const (
	// maxIndex bounds the bucket indexes. It covers all 32-bit floating-point numbers at scale
	// 8, the finest that Prometheus supports.
	maxIndex = 1 << 15
	// maxExplicitBuckets bounds the buckets of a histogram with explicit bounds. In Prometheus
	// each bucket is a series with all labels. TGI's histograms of batch sizes have 1,024 bounds.
	maxExplicitBuckets = 1025
	// maxQuantiles bounds the quantiles of a summary. Each is a series in Prometheus.
	maxQuantiles = 1024
)

// BoundExponential repairs an exponential histogram that is out of bounds, or returns that it
// has to be dropped.
func BoundExponential(dp pmetric.ExponentialHistogramDataPoint) Bounds {
	b := boundExponential(dp)
	if b == Within || !dp.Flags().NoRecordedValue() {
		return b
	}
	dp.SetCount(0)
	dp.SetScale(0)
	dp.SetZeroCount(0)
	dp.SetZeroThreshold(0)
	var empty buckets
	empty.write(dp.Positive())
	empty.write(dp.Negative())
	return NoValue
}

func boundExponential(dp pmetric.ExponentialHistogramDataPoint) Bounds {
	read, b := readSides(dp)
	if b != Within {
		return b
	}
	if dp.Count() > math.MaxInt64 || read.total > dp.Count() {
		return InvalidCount
	}
	// NaN observations are in the count but in no bucket, and make the sum NaN.
	if read.total < dp.Count() && !(dp.HasSum() && math.IsNaN(dp.Sum())) {
		return InvalidCount
	}
	if fits(dp.Positive()) && fits(dp.Negative()) {
		return Within
	}
	wide := max(read.positive.excess(), read.negative.excess())
	far := max(read.positive.distance(), read.negative.distance())
	shift := max(wide, far)
	rewrite(dp.Positive(), read.positive, shift)
	rewrite(dp.Negative(), read.negative, shift)
	dp.SetScale(dp.Scale() - shift)
	if far > 0 && wide == 0 {
		return TooFine
	}
	return TooManyBuckets
}

// sides are the spans of a point's populated buckets, and the sum of all its counts.
type sides struct {
	positive, negative span
	total              uint64
}

// readSides returns the populated buckets of a point, after checks of its scale, zero
// threshold, indexes and counts.
func readSides(dp pmetric.ExponentialHistogramDataPoint) (s sides, b Bounds) {
	scale, threshold := dp.Scale(), dp.ZeroThreshold()
	if scale < minScale || scale > maxScale {
		return s, InvalidScale
	}
	if !(threshold >= 0 && threshold <= math.MaxFloat64) {
		return s, InvalidZeroThreshold
	}
	var positive, negative, carry, carry2 uint64
	if s.positive, positive, b = populatedIn(dp.Positive(), scale); b != Within {
		return s, b
	}
	if s.negative, negative, b = populatedIn(dp.Negative(), scale); b != Within {
		return s, b
	}
	s.total, carry = bits.Add64(positive, negative, 0)
	s.total, carry2 = bits.Add64(s.total, dp.ZeroCount(), 0)
	if carry+carry2 != 0 {
		return s, InvalidCount
	}
	return s, Within
}

// fits reports whether the buckets of a side, empty ones included, are few enough and near
// enough to 1.
func fits(dp pmetric.ExponentialHistogramDataPointBuckets) bool {
	n, first := int64(dp.BucketCounts().Len()), int64(dp.Offset())
	return n == 0 || n <= maxBuckets && first >= -maxIndex && first+n <= maxIndex
}

// distance returns by how many scales to downscale until the span is near enough to 1.
func (s span) distance() int32 {
	shift := int32(0)
	for !s.empty && (s.first>>shift < -maxIndex || s.last>>shift >= maxIndex) {
		shift++
	}
	return shift
}

// rewrite replaces the buckets of a side with its populated buckets, downscaled by shift.
func rewrite(dp pmetric.ExponentialHistogramDataPointBuckets, populated span, shift int32) {
	var b buckets
	b.fill(dp, populated, shift)
	b.write(dp)
}

// BoundHistogram repairs a histogram with explicit bounds that is out of bounds, or returns
// that it has to be dropped.
func BoundHistogram(dp pmetric.HistogramDataPoint) Bounds {
	b := boundHistogram(dp)
	if b == Within || !dp.Flags().NoRecordedValue() {
		return b
	}
	dp.SetCount(0)
	dp.ExplicitBounds().FromRaw(nil)
	dp.BucketCounts().FromRaw(nil)
	return NoValue
}

func boundHistogram(dp pmetric.HistogramDataPoint) Bounds {
	bounds, counts := dp.ExplicitBounds(), dp.BucketCounts()
	n := bounds.Len()
	if counts.Len() != n+1 && (counts.Len() != 0 || n != 0) {
		return InvalidBounds
	}
	if !increase(bounds) {
		return InvalidBounds
	}
	if counts.Len() <= maxExplicitBuckets {
		return Within
	}
	coarsen(dp, (counts.Len()+maxExplicitBuckets-1)/maxExplicitBuckets)
	return TooManyBuckets
}

// increase reports whether each bound is greater than the one before, and none is NaN.
func increase(bounds pcommon.Float64Slice) bool {
	for i := range bounds.Len() {
		if bound := bounds.At(i); math.IsNaN(bound) || i > 0 && bound <= bounds.At(i-1) {
			return false
		}
	}
	return true
}

// coarsen merges each n buckets into one by removing bounds. Counts stay exact.
func coarsen(dp pmetric.HistogramDataPoint, n int) {
	var bounds []float64
	var counts []uint64
	for i := range dp.BucketCounts().Len() {
		if i%n == 0 {
			if i > 0 {
				bounds = append(bounds, dp.ExplicitBounds().At(i-1))
			}
			counts = append(counts, 0)
		}
		counts[len(counts)-1] += dp.BucketCounts().At(i)
	}
	dp.ExplicitBounds().FromRaw(bounds)
	dp.BucketCounts().FromRaw(counts)
}

// BoundSummary repairs a summary that is out of bounds.
func BoundSummary(dp pmetric.SummaryDataPoint) Bounds {
	quantiles, before := dp.QuantileValues(), -1.0
	sorted := quantiles.Len() <= maxQuantiles
	for i := 0; sorted && i < quantiles.Len(); i++ {
		q := quantiles.At(i).Quantile()
		sorted = q > before && q <= 1 && q >= 0
		before = q
	}
	if sorted {
		return Within
	}
	n, seen := quantiles.Len(), map[float64]bool{}
	quantiles.RemoveIf(func(value pmetric.SummaryDataPointValueAtQuantile) bool {
		q := value.Quantile()
		if !(q >= 0 && q <= 1) || seen[q] || len(seen) >= maxQuantiles {
			return true
		}
		seen[q] = true
		return false
	})
	if quantiles.Len() == n {
		return Within
	}
	return InvalidQuantiles
}
