package aggregate

import (
	"math"
	"math/bits"

	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Bounds is the result of a look at a point: whether exporters can take it.
type Bounds uint8

// What a point can be. Its comment says what becomes of it.
const (
	// Within is a point that stays as it is.
	Within Bounds = iota

	// TooManyBuckets is a histogram that lost resolution, and no count.
	TooManyBuckets
	// TooFine is an exponential histogram whose buckets were far from 1 at a scale that
	// is finer than anybody shows. Each of two such points is small, but an exporter
	// that adds them up makes all buckets in between. It lost resolution, and no count.
	TooFine
	// InvalidQuantiles is a summary that lost the quantiles that are none, or are repeated.
	InvalidQuantiles
	// NoValue is a stale marker that lost the buckets that it must not have.
	NoValue

	// InvalidScale is a histogram to drop: no SDK has its scale.
	InvalidScale
	// InvalidIndex is a histogram to drop: no number is in its buckets.
	InvalidIndex
	// InvalidZeroThreshold is a histogram to drop: its zero threshold is negative, or no number.
	InvalidZeroThreshold
	// InvalidCount is a histogram to drop: its buckets do not add up to its count, or the
	// count is past the 63 bits that Prometheus has for it. Prometheus refuses such a
	// point together with all others of its request.
	InvalidCount
	// InvalidBounds is a histogram to drop: its bounds do not increase, or there is not
	// one bucket more than there are bounds.
	InvalidBounds

	boundsCount
)

const (
	// AllBounds is how many values Bounds has.
	AllBounds = int(boundsCount)
	// FirstDropped is the first value of points to drop.
	FirstDropped = InvalidScale
)

var boundsNames = [...]string{
	Within: "within", TooManyBuckets: "buckets", TooFine: "resolution", InvalidQuantiles: "quantiles", NoValue: "no_value",
	InvalidScale: "scale", InvalidIndex: "index", InvalidZeroThreshold: "zero_threshold", InvalidCount: "count", InvalidBounds: "bounds",
}

// String returns the value's name in self-metrics.
func (b Bounds) String() string { return boundsNames[b] }

// Drop reports whether the point has to be dropped.
func (b Bounds) Drop() bool { return b >= FirstDropped }

const (
	// maxIndex bounds the distance of buckets from 1. It holds all numbers of 32-bit
	// floating point at scale 8, the finest of Prometheus.
	maxIndex = 1 << 15
	// maxExplicitBuckets bounds the buckets of a histogram with explicit bounds. In
	// Prometheus each is a series, with all labels.
	maxExplicitBuckets = 1024
	// maxQuantiles bounds the quantiles of a summary. Each is a series as well.
	maxQuantiles = 1024
)

// BoundExponential repairs an exponential histogram that is out of bounds, or says
// that it has to be dropped.
func BoundExponential(dp pmetric.ExponentialHistogramDataPoint) Bounds {
	b := boundExponential(dp)
	if b == Within || !dp.Flags().NoRecordedValue() {
		return b
	}
	dp.SetCount(0)
	dp.SetScale(0)
	dp.SetZeroCount(0)
	dp.SetZeroThreshold(0)
	var none buckets
	none.write(dp.Positive())
	none.write(dp.Negative())
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
	// What was no number is in the count and in no bucket.
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

// sides are the populated buckets of a point, and the sum of what all its buckets hold.
type sides struct {
	positive, negative span
	total              uint64
}

// readSides finds the populated buckets of a point, which have to be where numbers are.
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

// fits reports whether the buckets that a point states are few and near enough,
// empty ones included.
func fits(dp pmetric.ExponentialHistogramDataPointBuckets) bool {
	n, first := int64(dp.BucketCounts().Len()), int64(dp.Offset())
	return n == 0 || n <= maxBuckets && first >= -maxIndex && first+n <= maxIndex
}

// distance is by how much to downscale until a span is near enough.
func (s span) distance() int32 {
	shift := int32(0)
	for !s.empty && (s.first>>shift < -maxIndex || s.last>>shift >= maxIndex) {
		shift++
	}
	return shift
}

// rewrite leaves the populated buckets of a side, downscaled.
func rewrite(dp pmetric.ExponentialHistogramDataPointBuckets, populated span, shift int32) {
	var b buckets
	b.fill(dp, populated, shift)
	b.write(dp)
}

// BoundHistogram repairs a histogram with explicit bounds that is out of bounds, or
// says that it has to be dropped.
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
	before := math.Inf(-1)
	for i := range n {
		bound := bounds.At(i)
		if math.IsNaN(bound) || i > 0 && bound <= before {
			return InvalidBounds
		}
		before = bound
	}
	if counts.Len() <= maxExplicitBuckets {
		return Within
	}
	coarsen(dp, (counts.Len()+maxExplicitBuckets-1)/maxExplicitBuckets)
	return TooManyBuckets
}

// coarsen makes one bucket of each n. Counts stay exact: some bounds go.
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
