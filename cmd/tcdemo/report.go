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
	"time"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/judge"
)

// reporter compares what came out with what was sent.
type reporter struct {
	to     io.Writer
	sent   *sent
	out    output
	since  time.Time // the collector's start
	faults []error
}

// report prints what came of what was sent. It returns an error when something
// was lost, doubled, left with a wrong name, put into a wrong span or none, or linked
// to what it does not belong to.
func (r *reporter) report() error {
	for _, part := range []func() error{r.items, r.names, r.logs, r.links} {
		if err := part(); err != nil {
			return err
		}
	}
	if len(r.faults) > mostFaults {
		r.faults = append(r.faults[:mostFaults], fmt.Errorf("and %d more", len(r.faults)-mostFaults))
	}
	return errors.Join(r.faults...)
}

// mostFaults is how many faults are printed.
const mostFaults = 30

func (r *reporter) fault(source, format string, arguments ...any) {
	r.faults = append(r.faults, fmt.Errorf("%s: %s", source, fmt.Sprintf(format, arguments...)))
}

// items prints the table of spans and metrics, a line for each source.
func (r *reporter) items() error {
	fmt.Fprintf(r.to, "\nItems in → out\n\n")
	table := newTable(r.to)
	fmt.Fprintln(table, "  source\tspans\tmetric series\tnames changed\tnon-conformant names left")
	for _, system := range systems {
		in, got, pushed := r.sent.counts[system], r.out.of(system), r.sent.metrics.of(system).metrics
		if in.Spans != len(got.spans) {
			r.fault(system, "%d spans in, %d out", in.Spans, len(got.spans))
		}
		r.compare(system, pushed, got.metrics)
		_, series := pushed.size()
		r.row(table, system, in.Spans, series)
		if in.ScrapeSeries > 0 {
			page := scrapedFrom(system)
			for _, family := range judge.MissingFamilies(in.ScrapeFamilies, r.out.of(page).metrics.has) {
				r.fault(page, "metric lost: %q", family)
			}
			r.row(table, page, 0, in.ScrapeSeries)
		}
	}
	for name, got := range r.out.sources {
		for wrong := range got.wrong {
			r.fault(name, "name left: %q", wrong)
		}
		for family := range got.metrics.doubled {
			r.fault(name, "two points of one series at one time: %q", family)
		}
	}
	return table.Flush()
}

// row writes the line of a source that sent so many.
func (r *reporter) row(table io.Writer, name string, spans, series int) {
	got := r.out.of(name)
	_, left := got.metrics.size()
	fmt.Fprintf(table, "  %s\t%d → %d\t%d → %d\t%d\t%d\n", name, spans, len(got.spans), series, left, len(got.renamed), len(got.wrong))
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
	if kept := r.out.of(scrapedFrom(engine)); len(kept.renamed) > 0 || len(kept.copies) == 0 {
		r.fault(engine, "%d names changed, %d canonical metrics", len(kept.renamed), len(kept.copies))
	}
	return nil
}

func newTable(to io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(to, 2, 0, 3, ' ', 0) }

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
