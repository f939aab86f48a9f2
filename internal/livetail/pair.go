// SPDX-License-Identifier: Apache-2.0

package livetail

import (
	"slices"
	"time"
)

// Pair is an item as it came into a component and as it went out.
type Pair struct {
	Seq uint64    `json:"seq"`
	At  time.Time `json:"at"`
	// Stage is the id of the component, and Signal the signal of its pipeline.
	Stage  string `json:"stage"`
	Signal string `json:"signal"`
	// Audited means that the item went out as it came: the service is in audit mode, and the rows are what
	// enforce mode would have made of it.
	Audited bool  `json:"audited"`
	Rows    []Row `json:"rows"`
	// Cut means that the item has more fields than rows.
	Cut bool `json:"cut"`
}

// Mark is what became of a field.
type Mark string

// The marks.
const (
	Same    Mark = "same"
	Changed Mark = "changed" // the value
	Renamed Mark = "renamed" // the key
	Added   Mark = "added"
	Removed Mark = "removed"
)

// Row is a field before and after.
type Row struct {
	Place Place `json:"place"`
	Mark  Mark  `json:"mark"`
	// Before is nil where the field is the same or was added, and After where it was removed.
	Before *Field `json:"before,omitempty"`
	After  *Field `json:"after,omitempty"`
}

// Compare sets what became of an item, and reports whether anything changed. A field whose key is gone and one
// whose key is new are one that was renamed, if they have the same value.
func (p *Pair) Compare(before, after Item) (changed bool) {
	p.Cut = before.cut || after.cut
	places := before.places
	for _, place := range after.places {
		if !slices.Contains(places, place) {
			places = append(slices.Clip(places), place)
		}
	}
	p.Rows = []Row{}
	for _, place := range places {
		p.Rows = append(p.Rows, compare(place, before, after)...)
	}
	return slices.ContainsFunc(p.Rows, func(r Row) bool { return r.Mark != Same })
}

// compare returns the rows of one place: those of the item as it came, and then those that were added.
func compare(place Place, before, after Item) (rows []Row) {
	old, now := before.fields[place], after.fields[place]
	of := make([]int, len(old)) // the field after, for each before; none if it was removed
	used := make([]bool, len(now))
	match := func(same func(a, b *Field) bool) {
		for i := range old {
			for j := 0; of[i] == none && j < len(now); j++ {
				if !used[j] && same(&old[i], &now[j]) {
					of[i], used[j] = j, true
				}
			}
		}
	}
	for i := range of {
		of[i] = none
	}
	match(func(a, b *Field) bool { return a.Key == b.Key })
	match(func(a, b *Field) bool { return a.Value == b.Value })
	for i := range old {
		switch j := of[i]; {
		case j != none:
			rows = append(rows, rowOf(place, &old[i], &now[j]))
		case !after.cut: // it may be among those that were left out
			rows = append(rows, Row{Place: place, Mark: Removed, Before: &old[i]})
		}
	}
	for j := range now {
		if !used[j] && !before.cut {
			rows = append(rows, Row{Place: place, Mark: Added, After: &now[j]})
		}
	}
	return rows
}

const none = -1

func rowOf(place Place, old, now *Field) Row {
	switch {
	case *old == *now:
		return Row{Place: place, Mark: Same, After: now}
	case old.Key == now.Key:
		return Row{Place: place, Mark: Changed, Before: old, After: now}
	default:
		return Row{Place: place, Mark: Renamed, Before: old, After: now}
	}
}
