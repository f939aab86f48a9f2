// SPDX-License-Identifier: Apache-2.0

package aggregate

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
