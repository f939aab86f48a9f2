// SPDX-License-Identifier: Apache-2.0

package document

import (
	"cmp"
	"slices"
	"strings"
)

// Edit replaces the bytes from Start to End of a text.
type Edit struct {
	Start, End int
	Text       string
}

// Replace returns the edit that replaces a range.
func Replace(start, end int, text string) Edit { return Edit{Start: start, End: end, Text: text} }

// Insert returns the edit that inserts a text at a place.
func Insert(place int, text string) Edit { return Edit{Start: place, End: place, Text: text} }

// Apply makes the edits, which do not overlap, in a text.
func Apply(text string, edits []Edit) string {
	var b strings.Builder
	last := 0
	for _, e := range Sorted(edits) {
		b.WriteString(text[last:e.Start])
		b.WriteString(e.Text)
		last = e.End
	}
	b.WriteString(text[last:])
	return b.String()
}

// Sorted returns edits in the order of a text, without repeated ones. Insertions come before a
// replacement of the same place.
func Sorted(edits []Edit) []Edit {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return slices.Compact(edits)
}
