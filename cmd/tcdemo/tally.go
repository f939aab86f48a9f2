// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
)

// tally counts one source's items by what became of them.
type tally map[string]int

func (t tally) countIf(what string, is bool) {
	if is {
		t[what]++
	}
}

// tallies are the tallies of all sources.
type tallies map[string]tally

func (t tallies) of(source string) tally {
	if t[source] == nil {
		t[source] = tally{}
	}
	return t[source]
}

func (t tallies) sum() tally {
	all := tally{}
	for _, one := range t {
		for what, n := range one {
			all[what] += n
		}
	}
	return all
}

// print writes a table with a row for each source, and one for all.
func (t tallies) print(to io.Writer, header string, row func(tally) string) error {
	table := newTable(to)
	fmt.Fprintln(table, "  "+header)
	for _, source := range slices.Sorted(maps.Keys(t)) {
		fmt.Fprintf(table, "  %s\t%s\n", source, row(t[source]))
	}
	fmt.Fprintf(table, "  all\t%s\n", row(t.sum()))
	return table.Flush()
}

func newTable(to io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(to, 2, 0, 3, ' ', 0) }

// flow is what went in and came out.
func flow(in, out int) string {
	if in == 0 && out == 0 {
		return "–"
	}
	return fmt.Sprintf("%d → %d", in, out)
}

// share is a part of a whole, rounded down so that only all are 100 %.
func share(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%d of %d (%d %%)", part, whole, 100*part/whole)
}

func shorten(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}
