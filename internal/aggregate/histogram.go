// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"math/bits"
	"slices"

	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Histogram holds the measurements of histogram points with explicit bounds.
type Histogram struct {
	totals
	// bounds are the upper boundaries of all buckets but the last. Both slices are empty when
	// the point has no buckets, or a single one, which equals the count.
	bounds []float64
	counts []uint64
}

// Read sets h to the measurements of a point. It refuses a point that contradicts itself: its
// bounds do not increase, or its buckets do not add up to its count. Merged, such a point would
// make its whole series wrong.
func (h *Histogram) Read(dp pmetric.HistogramDataPoint) bool {
	h.Reset()
	readTotals(&h.totals, dp)
	bounds, counts := dp.ExplicitBounds(), dp.BucketCounts()
	n := bounds.Len()
	if counts.Len() != n+1 {
		return counts.Len() == 0 && n == 0
	}
	h.bounds, h.counts = slices.Grow(h.bounds, n), slices.Grow(h.counts, n+1)
	var total, carry uint64
	for i := range n + 1 {
		count := counts.At(i)
		if total, carry = bits.Add64(total, count, 0); carry != 0 {
			return false
		}
		h.counts = append(h.counts, count)
	}
	for i := range n {
		h.bounds = append(h.bounds, bounds.At(i))
	}
	h.dropSingle()
	return total == h.count && increase(bounds)
}

// Write writes the measurements into dp. Without buckets it has one, since some backends refuse histograms that have
// none.
func (h *Histogram) Write(dp pmetric.HistogramDataPoint) {
	writeTotals(&h.totals, dp)
	dp.ExplicitBounds().FromRaw(h.bounds)
	dp.BucketCounts().FromRaw(h.counts)
	if len(h.counts) == 0 {
		dp.BucketCounts().FromRaw([]uint64{h.count})
	}
}

// Set makes h a copy of o.
func (h *Histogram) Set(o *Histogram) {
	h.totals = o.totals
	h.bounds = append(h.bounds[:0], o.bounds...)
	h.counts = append(h.counts[:0], o.counts...)
}

// Add merges o into h. The merged buckets are those between boundaries that h and o share. A
// histogram with a count of 0 removes no boundaries.
func (h *Histogram) Add(o *Histogram) {
	switch {
	case !o.present || !h.fits(&o.totals):
		return
	case !h.present:
		h.Set(o)
		return
	case h.count == 0 && o.count != 0:
		h.bounds = append(h.bounds[:0], o.bounds...)
		h.counts = append(h.counts[:0], o.counts...)
	case h.count != 0 && o.count == 0: // o has no observations in its buckets
	default:
		h.merge(o, func(a, b uint64) uint64 { return a + b })
	}
	h.add(&o.totals)
}

// Sub turns h, a later value of a cumulative stream than prev, into the increment since prev.
// It returns true and leaves h when h does not continue prev: h is then the increment since the
// reset.
func (h *Histogram) Sub(prev *Histogram) (reset bool) {
	if h.count < prev.count {
		return true
	}
	if prev.count != 0 {
		if !h.continues(prev) {
			return true
		}
		h.merge(prev, func(a, b uint64) uint64 { return a - b })
	}
	h.sub(&prev.totals)
	return false
}

// Reset removes all measurements and keeps the memory.
func (h *Histogram) Reset() {
	*h = Histogram{bounds: h.bounds[:0], counts: h.counts[:0]}
}

// Bytes returns the heap memory that a copy of h takes, in bytes.
func (h *Histogram) Bytes() int { return 8 * (len(h.bounds) + len(h.counts)) }

// Shrink removes the buckets of h if they take more memory. Count and sum remain.
func (h *Histogram) Shrink(bytes int) {
	if h.Bytes() > bytes {
		h.bounds, h.counts = h.bounds[:0], h.counts[:0]
	}
}

// merge keeps the shared buckets, each with f of the counts of h and o. It works in place: a
// merged bucket never comes later than the last bucket that it covers.
func (h *Histogram) merge(o *Histogram, f func(a, b uint64) uint64) {
	if h.SameBuckets(o) {
		for i := range h.counts {
			h.counts[i] = f(h.counts[i], o.counts[i])
		}
		return
	}
	n := 0
	for common := (commonBuckets{a: h, b: o}); common.next(); n++ {
		h.counts[n] = f(common.countA, common.countB)
		if !common.last {
			h.bounds[n] = common.bound
		}
	}
	h.counts = h.counts[:n]
	h.bounds = h.bounds[:max(n-1, 0)]
	h.dropSingle()
}

// continues reports whether each shared bucket has at least the count that it has in prev.
func (h *Histogram) continues(prev *Histogram) bool {
	if h.SameBuckets(prev) {
		for i, count := range h.counts {
			if count < prev.counts[i] {
				return false
			}
		}
		return true
	}
	for common := (commonBuckets{a: h, b: prev}); common.next(); {
		if common.countA < common.countB {
			return false
		}
	}
	return true
}

// SameBuckets reports whether h and o have the same boundaries.
func (h *Histogram) SameBuckets(o *Histogram) bool {
	return len(h.counts) == len(o.counts) && slices.Equal(h.bounds, o.bounds)
}

// dropSingle drops a single bucket, which equals the count.
func (h *Histogram) dropSingle() {
	if len(h.counts) == 1 {
		h.counts = h.counts[:0]
	}
}

// commonBuckets iterates over the buckets between boundaries that two histograms share. There are
// none when one of them has no buckets.
type commonBuckets struct {
	a, b   *Histogram
	nextA  int     // the next bucket of a
	nextB  int     // the next bucket of b
	last   bool    // the bucket is the last one, without an upper boundary
	bound  float64 // the bucket's upper boundary
	countA uint64
	countB uint64
}

func (c *commonBuckets) next() bool {
	if c.last || len(c.a.counts) == 0 || len(c.b.counts) == 0 {
		return false
	}
	c.countA, c.countB = 0, 0
	for {
		moreA, moreB := c.nextA < len(c.a.bounds), c.nextB < len(c.b.bounds)
		switch {
		case !moreA && !moreB:
			c.countA += c.a.counts[c.nextA]
			c.countB += c.b.counts[c.nextB]
			c.last = true
			return true
		case moreA && (!moreB || c.a.bounds[c.nextA] < c.b.bounds[c.nextB]):
			c.countA += c.a.counts[c.nextA]
			c.nextA++
		case !moreA || c.a.bounds[c.nextA] > c.b.bounds[c.nextB]:
			c.countB += c.b.counts[c.nextB]
			c.nextB++
		default:
			c.countA += c.a.counts[c.nextA]
			c.countB += c.b.counts[c.nextB]
			c.bound = c.a.bounds[c.nextA]
			c.nextA++
			c.nextB++
			return true
		}
	}
}
