package spanlinkprocessor

import (
	"cmp"
	"math/bits"
	"slices"
)

// order puts the entries of one key in order: earlier stages first, then by time, so
// that what is in one batch is linked as if it came in the right order. Entries of
// different keys do not meet, so that only equal keys have to be found, by a table of
// open addressing: sorting all entries takes longer than all the rest of a span
// (BenchmarkSpanWithKey).
type order struct {
	table []int32 // the number of a key's first entry plus 1, or 0
	next  []int32 // for each entry the number of the next of its key plus 1, or 0
	last  []int32 // for each first entry the number of the last of its key, for others -1
	group []int32
	turns []int32 // the entries in their order
}

func (o *order) of(w *walk) []int32 {
	n := len(w.entries)
	o.table = zeros(o.table, 1<<bits.Len(uint(2*n)))
	o.next, o.last = zeros(o.next, n), zeros(o.last, n)
	o.turns = o.turns[:0]
	for i := range w.entries {
		o.add(w.entries, int32(i))
	}
	for i := range w.entries {
		if o.last[i] >= 0 {
			o.take(w, int32(i))
		}
	}
	return o.turns
}

func zeros(s []int32, n int) []int32 {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// add adds an entry to those of its key.
func (o *order) add(entries []entry, i int32) {
	mask := uint64(len(o.table) - 1)
	for at := entries[i].key.Lo & mask; ; at = (at + 1) & mask {
		first := o.table[at] - 1
		if first < 0 {
			o.table[at], o.last[i] = i+1, i
			return
		}
		if entries[first].key == entries[i].key {
			o.next[o.last[first]] = i + 1
			o.last[first], o.last[i] = i, -1
			return
		}
	}
}

// take takes the entries of a key, of which the first is known.
func (o *order) take(w *walk, first int32) {
	if o.next[first] == 0 {
		o.turns = append(o.turns, first)
		return
	}
	o.group = o.group[:0]
	for i := first; i >= 0; i = o.next[i] - 1 {
		o.group = append(o.group, i)
	}
	w.inOrder(o.group)
	o.turns = append(o.turns, o.group...)
}

// compareTurns orders the entries of one key.
func (w *walk) compareTurns(a, b *entry) int {
	byTime := a.stage.rule.byTime
	if !byTime && a.bits != b.bits {
		if c := cmp.Compare(bits.TrailingZeros8(a.bits), bits.TrailingZeros8(b.bits)); c != 0 {
			return c
		}
	}
	one, other := w.member(a), w.member(b)
	switch {
	case byTime || a.bits != b.bits:
	case isSent(&one, &other):
		return -1
	case isSent(&other, &one):
		return 1
	}
	return compare(&one, &other)
}
