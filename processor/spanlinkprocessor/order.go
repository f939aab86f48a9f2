package spanlinkprocessor

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// order puts the visitors of one key in order: earlier stages first, then by time, so
// that what is in one batch is linked as if it came in the right order. Visitors of
// different keys do not meet, so that only equal keys have to be found, by a table of
// open addressing.
type order struct {
	table []int32 // the number of a key's first visitor plus 1, or 0
	next  []int32 // for each visitor the number of the next of its key plus 1, or 0
	last  []int32 // for each first visitor the number of the last of its key
	group []int32
	turns []int32 // the visitors in their order
}

func (o *order) of(visitors []visitor) []int32 {
	o.begin(len(visitors))
	for i := range visitors {
		o.add(visitors, int32(i))
	}
	for i := range visitors {
		if o.last[i] >= 0 {
			o.take(visitors, int32(i))
		}
	}
	return o.turns
}

func (o *order) begin(visitors int) {
	size := 1 << bits.Len(uint(2*visitors))
	o.table = resized(o.table, size)
	o.next = resized(o.next, visitors)
	o.last = resized(o.last, visitors)
	o.turns = o.turns[:0]
}

func resized(s []int32, n int) []int32 {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// add adds a visitor to those of its key.
func (o *order) add(visitors []visitor, i int32) {
	mask := uint64(len(o.table) - 1)
	for at := visitors[i].key.Lo & mask; ; at = (at + 1) & mask {
		first := o.table[at] - 1
		if first < 0 {
			o.table[at], o.last[i] = i+1, i
			return
		}
		if visitors[first].key == visitors[i].key {
			o.next[o.last[first]] = i + 1
			o.last[first], o.last[i] = i, -1
			return
		}
	}
}

// take takes the visitors of a key, of which the first is known.
func (o *order) take(visitors []visitor, first int32) {
	if o.next[first] == 0 {
		o.turns = append(o.turns, first)
		return
	}
	o.group = o.group[:0]
	for i := first; i >= 0; i = o.next[i] - 1 {
		o.group = append(o.group, i)
	}
	slices.SortStableFunc(o.group, func(a, b int32) int { return inTurn(&visitors[a], &visitors[b]) })
	o.turns = append(o.turns, o.group...)
}

func inTurn(a, b *visitor) int {
	if !a.stage.rule.byTime && a.bits != b.bits {
		if c := cmp.Compare(bits.TrailingZeros8(a.bits), bits.TrailingZeros8(b.bits)); c != 0 {
			return c
		}
	}
	return compare(
		&correlation.Member{Start: a.span.StartTimestamp(), TraceID: a.span.TraceID(), SpanID: a.span.SpanID()},
		&correlation.Member{Start: b.span.StartTimestamp(), TraceID: b.span.TraceID(), SpanID: b.span.SpanID()})
}
