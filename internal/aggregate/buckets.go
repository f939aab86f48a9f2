// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"math"
	"math/bits"
	"sort"

	"go.opentelemetry.io/collector/pdata/pmetric"
)

// maxBuckets bounds each side of an exponential histogram. It is the default of the SDKs.
const maxBuckets = 160

// buckets are one side of an exponential histogram. Bucket i holds the values in (base^i,
// base^(i+1)], where base is 2^(2^-scale). Neither the first nor the last count is 0, so that
// empty buckets cost no resolution.
type buckets struct {
	first  int64 // the index of counts[0]
	counts []uint64
}

func (b buckets) last() int64 { return b.first + int64(len(b.counts)) - 1 }

// boundary returns base^i: the upper boundary of bucket i-1 and the lower boundary of bucket i.
// A boundary that several scales share is the same float64 at each of them.
func boundary(scale int32, i int64) float64 {
	if scale <= 0 {
		return math.Ldexp(1, int(i<<-scale))
	}
	octave := i >> scale
	part := float64(i-octave<<scale) / float64(int64(1)<<scale)
	return math.Ldexp(math.Exp2(part), int(octave))
}

// possible reports whether floating-point numbers can be in bucket i. It allows one bucket
// more, because some SDKs round a logarithm up.
func possible(scale int32, i int64) bool {
	const least, greatest = -1075, 1023 // the indexes at scale 0
	if scale <= 0 {
		return least>>-scale-1 <= i && i <= greatest>>-scale+1
	}
	return (least+1)<<scale-2 <= i && i <= (greatest+1)<<scale
}

// populatedIn returns the span of a side's populated buckets and the sum of their counts.
func populatedIn(dp pmetric.ExponentialHistogramDataPointBuckets, scale int32) (populated span, sum uint64, b Bounds) {
	counts := dp.BucketCounts()
	populated.empty = true
	for i := range counts.Len() {
		count := counts.At(i)
		if count == 0 {
			continue
		}
		var carry uint64
		if sum, carry = bits.Add64(sum, count, 0); carry != 0 {
			return populated, 0, InvalidCount
		}
		index := int64(dp.Offset()) + int64(i)
		populated = populated.union(span{first: index, last: index})
	}
	if !populated.empty && (!possible(scale, populated.first) || !possible(scale, populated.last)) {
		return populated, 0, InvalidIndex
	}
	return populated, sum, Within
}

// fill adds the populated buckets of a point's side, downscaled by shift.
func (b *buckets) fill(dp pmetric.ExponentialHistogramDataPointBuckets, populated span, shift int32) {
	if populated.empty {
		return
	}
	b.extend(populated.shifted(shift))
	counts, offset := dp.BucketCounts(), int64(dp.Offset())
	for i := populated.first; i <= populated.last; i++ {
		b.counts[i>>shift-b.first] += counts.At(int(i - offset))
	}
}

func (b *buckets) write(dp pmetric.ExponentialHistogramDataPointBuckets) {
	dp.SetOffset(int32(b.first))
	dp.BucketCounts().FromRaw(b.counts)
}

func (b *buckets) reset() { b.first, b.counts = 0, b.counts[:0] }

// set makes b a copy of o, which may share memory with b.
func (b *buckets) set(o buckets) { b.first, b.counts = o.first, append(b.counts[:0], o.counts...) }

// extend makes room for the buckets of a span.
func (b *buckets) extend(to span) {
	to = to.union(b.span())
	n, had, before := int(to.last-to.first+1), len(b.counts), 0
	if had > 0 {
		before = int(b.first - to.first)
	}
	if n > cap(b.counts) {
		counts := make([]uint64, had, min(n+n/4, maxBuckets))
		copy(counts, b.counts)
		b.counts = counts
	}
	b.counts = b.counts[:n]
	copy(b.counts[before:], b.counts[:had])
	clear(b.counts[:before])
	clear(b.counts[before+had:])
	b.first = to.first
}

// downscale merges each 2^shift buckets into one.
func (b *buckets) downscale(shift int32) {
	if shift <= 0 || len(b.counts) == 0 {
		return
	}
	first, last := b.first>>shift, 0
	for i, count := range b.counts {
		if at := int((b.first+int64(i))>>shift - first); at > last {
			b.counts[at], last = count, at
		} else if i > 0 {
			b.counts[at] += count
		}
	}
	b.first, b.counts = first, b.counts[:last+1]
}

// add adds the counts of o, whose scale is larger by shift. The caller ensures that the result
// has at most maxBuckets.
func (b *buckets) add(o buckets, shift int32) {
	if len(o.counts) == 0 {
		return
	}
	b.extend(o.span().shifted(shift))
	for i, count := range o.counts {
		b.counts[(o.first+int64(i))>>shift-b.first] += count
	}
}

// sub subtracts the counts of o, which b contains.
func (b *buckets) sub(o buckets, shift int32) {
	for i, count := range o.counts {
		if count != 0 {
			b.counts[(o.first+int64(i))>>shift-b.first] -= count
		}
	}
	b.trim()
}

// contains reports whether each bucket of b has at least the count of the same bucket of o,
// after both are downscaled.
func (b buckets) contains(shift int32, o buckets, oShift int32) bool {
	for i, j := 0, 0; j < len(o.counts); {
		index := (o.first + int64(j)) >> oShift
		var have, want uint64
		for ; j < len(o.counts) && (o.first+int64(j))>>oShift == index; j++ {
			want += o.counts[j]
		}
		for ; i < len(b.counts) && (b.first+int64(i))>>shift <= index; i++ {
			if (b.first+int64(i))>>shift == index {
				have += b.counts[i]
			}
		}
		if have < want {
			return false
		}
	}
	return true
}

// trim drops empty buckets at both ends.
func (b *buckets) trim() {
	n := len(b.counts)
	for n > 0 && b.counts[n-1] == 0 {
		n--
	}
	b.counts = b.counts[:n]
	b.set(b.from(0))
}

// from returns a view of b without the first n buckets and the empty ones after them.
func (b buckets) from(n int) buckets {
	for n < len(b.counts) && b.counts[n] == 0 {
		n++
	}
	if n == len(b.counts) {
		return buckets{}
	}
	return buckets{b.first + int64(n), b.counts[n:]}
}

// within returns the number of buckets that lie below a zero threshold.
func (b buckets) within(scale int32, threshold float64) int {
	return sort.Search(len(b.counts), func(i int) bool { return upper(scale, b.first+int64(i)) > threshold })
}

// uncut returns the smallest threshold, from the given one up, that cuts no populated bucket in
// two.
func (b buckets) uncut(scale int32, threshold float64) float64 {
	n := b.within(scale, threshold)
	if n == len(b.counts) || b.counts[n] == 0 || boundary(scale, b.first+int64(n)) >= threshold {
		return threshold
	}
	return upper(scale, b.first+int64(n))
}

// upper returns the greatest number in bucket i, apart from rounding.
func upper(scale int32, i int64) float64 { return min(boundary(scale, i+1), math.MaxFloat64) }

// span is a range of bucket indexes.
type span struct {
	first, last int64
	empty       bool
}

func (b buckets) span() span { return span{b.first, b.last(), len(b.counts) == 0} }

func (s span) union(o span) span {
	switch {
	case s.empty:
		return o
	case o.empty:
		return s
	}
	return span{first: min(s.first, o.first), last: max(s.last, o.last)}
}

func (s span) shifted(shift int32) span {
	return span{s.first >> shift, s.last >> shift, s.empty}
}

// excess returns by how many scales to downscale until the span has at most maxBuckets.
func (s span) excess() int32 {
	shift := int32(0)
	for !s.empty && s.last>>shift-s.first>>shift >= maxBuckets {
		shift++
	}
	return shift
}
