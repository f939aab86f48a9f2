// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pmetric"
)

// The scales that points may have: those that SDKs use. Merging goes down to -4, where
// maxBuckets cover all floating-point numbers.
const (
	minScale = -10
	maxScale = 20
)

// Exponential holds the measurements of exponential histogram points. It has at most maxBuckets
// buckets per side, and downscales to stay below that.
type Exponential struct {
	totals
	scale              int32
	zeroThreshold      float64
	zeroCount          uint64
	positive, negative buckets
}

// Read sets e to the measurements of a point. It refuses a point that contradicts itself: its
// buckets do not add up to its count, or they are where no floating-point number is. Merged,
// such a point would make its whole series wrong, or cost it its resolution.
func (e *Exponential) Read(dp pmetric.ExponentialHistogramDataPoint) bool {
	e.Reset()
	readTotals(&e.totals, dp)
	e.scale, e.zeroThreshold, e.zeroCount = dp.Scale(), dp.ZeroThreshold(), dp.ZeroCount()
	read, b := readSides(dp)
	if b != Within || read.total != e.count {
		return false
	}
	shift := max(read.positive.excess(), read.negative.excess())
	e.scale -= shift
	e.positive.fill(dp.Positive(), read.positive, shift)
	e.negative.fill(dp.Negative(), read.negative, shift)
	return true
}

// Write writes the measurements into dp.
func (e *Exponential) Write(dp pmetric.ExponentialHistogramDataPoint) {
	writeTotals(&e.totals, dp)
	dp.SetScale(e.scale)
	dp.SetZeroThreshold(e.zeroThreshold)
	dp.SetZeroCount(e.zeroCount)
	e.positive.write(dp.Positive())
	e.negative.write(dp.Negative())
}

// Set makes e a copy of o.
func (e *Exponential) Set(o *Exponential) {
	e.totals = o.totals
	e.setBuckets(o)
}

func (e *Exponential) setBuckets(o *Exponential) {
	e.scale, e.zeroThreshold, e.zeroCount = o.scale, o.zeroThreshold, o.zeroCount
	e.positive.set(o.positive)
	e.negative.set(o.negative)
}

// Add merges o into e. The result has the larger zero threshold and the smaller scale, or a
// scale that is small enough for maxBuckets. A histogram with a count of 0 changes neither.
func (e *Exponential) Add(o *Exponential) {
	switch {
	case !o.present || !e.fits(&o.totals):
		return
	case !e.present:
		e.Set(o)
		return
	case e.count == 0 && o.count != 0:
		e.setBuckets(o)
	case e.count != 0 && o.count == 0: // o has no observations in its buckets
	default:
		e.merge(o)
	}
	e.add(&o.totals)
}

// fits reports whether the counts of e and o can be added. Prometheus refuses counts above 63
// bits.
func (e *Exponential) fits(o *totals) bool {
	return e.totals.fits(o) && e.count+o.count <= math.MaxInt64
}

func (e *Exponential) merge(o *Exponential) {
	a, b := sameThreshold(e, o)
	scale := commonScale(&a, &b)
	positive := a.positive.span().shifted(a.shift(scale)).union(b.positive.span().shifted(b.shift(scale)))
	negative := a.negative.span().shifted(a.shift(scale)).union(b.negative.span().shifted(b.shift(scale)))
	scale -= max(positive.excess(), negative.excess())
	e.setBuckets(&a)
	e.downscale(scale)
	e.zeroCount += b.zeroCount
	e.positive.add(b.positive, b.shift(scale))
	e.negative.add(b.negative, b.shift(scale))
}

// Sub turns e, a later value of a cumulative stream than prev, into the increment since prev.
// It returns true and leaves e when e does not continue prev: e is then the increment since the
// reset.
func (e *Exponential) Sub(prev *Exponential) (reset bool) {
	if e.count < prev.count {
		return true
	}
	if prev.count != 0 {
		a, b := sameThreshold(e, prev)
		scale := commonScale(&a, &b)
		if a.zeroCount < b.zeroCount ||
			!a.positive.contains(a.shift(scale), b.positive, b.shift(scale)) ||
			!a.negative.contains(a.shift(scale), b.negative, b.shift(scale)) {
			return true
		}
		e.setBuckets(&a)
		e.downscale(scale)
		e.zeroCount -= b.zeroCount
		e.positive.sub(b.positive, b.shift(scale))
		e.negative.sub(b.negative, b.shift(scale))
	}
	e.sub(&prev.totals)
	return false
}

// Reset removes all measurements and keeps the memory.
func (e *Exponential) Reset() {
	e.positive.reset()
	e.negative.reset()
	*e = Exponential{positive: e.positive, negative: e.negative}
}

// Bytes returns the heap memory that a copy of e takes, in bytes.
func (e *Exponential) Bytes() int {
	return 8 * (len(e.positive.counts) + len(e.negative.counts))
}

// Shrink downscales e until it takes at most that much memory, as far as scales go.
func (e *Exponential) Shrink(bytes int) {
	for e.Bytes() > bytes && e.scale > minScale {
		e.downscale(e.scale - 1)
	}
}

// sameThreshold returns views of two histograms that have the same zero threshold. It is the
// larger threshold or, where that would cut a populated bucket in two, the bucket's upper
// boundary. It widens before downscaling, which moves the fewest counts: with the same
// threshold, counts stay right at any scale.
func sameThreshold(a, b *Exponential) (viewA, viewB Exponential) {
	if a.zeroThreshold == b.zeroThreshold {
		return *a, *b
	}
	narrow, wide := a, b
	if a.zeroThreshold > b.zeroThreshold {
		narrow, wide = b, a
	}
	threshold := narrow.uncut(wide.zeroThreshold)
	if threshold > wide.zeroThreshold {
		// The boundaries at a smaller scale are boundaries at a larger one as well. After this
		// call, the threshold cuts no bucket of either histogram.
		threshold = wide.uncut(threshold)
	}
	return a.widened(threshold), b.widened(threshold)
}

func (e *Exponential) uncut(threshold float64) float64 {
	return max(e.positive.uncut(e.scale, threshold), e.negative.uncut(e.scale, threshold))
}

// widened returns a view of e that counts the buckets below a larger zero threshold as zeros.
func (e *Exponential) widened(threshold float64) Exponential {
	view := *e
	if threshold == e.zeroThreshold {
		return view
	}
	view.zeroThreshold = threshold
	for _, side := range []*buckets{&view.positive, &view.negative} {
		n := side.within(e.scale, threshold)
		for _, count := range side.counts[:n] {
			view.zeroCount += count
		}
		*side = side.from(n)
	}
	return view
}

// commonScale returns the smaller scale. A histogram without buckets has any scale.
func commonScale(a, b *Exponential) int32 {
	switch aEmpty, bEmpty := a.noBuckets(), b.noBuckets(); {
	case aEmpty && !bEmpty:
		return b.scale
	case bEmpty && !aEmpty:
		return a.scale
	}
	return min(a.scale, b.scale)
}

func (e *Exponential) noBuckets() bool {
	return len(e.positive.counts) == 0 && len(e.negative.counts) == 0
}

// shift returns by how many scales to downscale e to reach the given scale.
func (e *Exponential) shift(scale int32) int32 {
	if e.noBuckets() {
		return 0
	}
	return e.scale - scale
}

func (e *Exponential) downscale(scale int32) {
	e.positive.downscale(e.shift(scale))
	e.negative.downscale(e.shift(scale))
	e.scale = scale
}
