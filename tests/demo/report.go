// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// reporter prints what came out, beside what was sent.
type reporter struct {
	to      io.Writer
	systems []*system // with what they sent
	out     output
}

// report prints the tables. It returns an error if spans or logs were lost or doubled.
func (r *reporter) report() error {
	for _, table := range []func() error{r.items, r.names, r.logs} {
		if err := table(); err != nil {
			return err
		}
	}
	var faults []error
	for _, s := range r.systems {
		if out := r.out.of(s.Name()).spans; s.spans != out {
			faults = append(faults, fmt.Errorf("%s: %d spans in, %d out", s.Name(), s.spans, out))
		}
	}
	if in, out := r.logsIn(), r.out.logs(); in != out {
		faults = append(faults, fmt.Errorf("%d logs in, %d out", in, out))
	}
	return errors.Join(faults...)
}

// logsIn returns the number of logs that were sent or written.
func (r *reporter) logsIn() (n int) {
	for _, s := range r.systems {
		n += s.logs
	}
	return n
}

// items prints the table of spans and metrics, a line for each source.
func (r *reporter) items() error {
	fmt.Fprintf(r.to, "\nItems in → out\n\n")
	table := newTable(r.to)
	fmt.Fprintln(table, "  source\tspans\tmetric series\tnames changed\tspans linked to another trace")
	for _, s := range r.systems {
		r.row(table, s.Name(), s.spans, len(s.series.of(s.Name()).series))
		if s.Gatherer() == nil {
			continue
		}
		series, err := s.pageSeries()
		if err != nil {
			return err
		}
		r.row(table, scrapedFrom(s.Name()), 0, series)
	}
	return table.Flush()
}

// row writes the line of a source that sent so many.
func (r *reporter) row(table io.Writer, name string, spans, series int) {
	got := r.out.of(name)
	fmt.Fprintf(table, "  %s\t%d → %d\t%d → %d\t%d\t%d\n", name, spans, got.spans, series, len(got.series), len(got.renamed), got.linked)
}

// names prints a few of the names that changed, and the names that the metrics of inference engines have in common.
func (r *reporter) names() error {
	fmt.Fprintf(r.to, "\nNames: original → new\n\n")
	table := newTable(r.to)
	for _, name := range slices.Sorted(maps.Keys(r.out.sources)) {
		renamed := r.out.of(name).renamed
		originals := slices.Sorted(maps.Keys(renamed))
		// Spread over the alphabet, they differ in kind.
		for i := 0; i < len(originals); i += len(originals)/3 + 1 {
			fmt.Fprintf(table, "  %s\t%s\t→ %s\n", name, shorten(originals[i], 64), renamed[originals[i]])
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(r.to, "\nCanonical metrics of inference engines, beside their own\n\n")
	for _, name := range slices.Sorted(maps.Keys(r.out.sources)) {
		if copies := r.out.of(name).copies; len(copies) > 0 {
			fmt.Fprintf(r.to, "  %s: %s\n", name, strings.Join(slices.Sorted(maps.Keys(copies)), ", "))
		}
	}
	return nil
}

// logs prints the table of logs, a line for each system and each file.
func (r *reporter) logs() error {
	fmt.Fprintf(r.to, "\nLogs by what they came out with\n\n")
	table := newTable(r.to)
	fmt.Fprintln(table, "  source\tlogs\ttheir span\ttheir trace\tneither")
	for _, name := range slices.Sorted(maps.Keys(r.out.sources)) {
		if got := r.out.of(name); got.logs > 0 {
			fmt.Fprintf(table, "  %s\t%d\t%d\t%d\t%d\n", name, got.logs, got.inSpan, got.inTrace, got.logs-got.inSpan-got.inTrace)
		}
	}
	return table.Flush()
}

func newTable(to io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(to, 2, 0, 3, ' ', 0) }

func shorten(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}
