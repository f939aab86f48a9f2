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
	for _, part := range []func() error{r.items, r.names, r.canonical, r.logs, r.links, r.scores} {
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

// items prints the table of items, a line for each source.
func (r *reporter) items() error {
	fmt.Fprintf(r.to, "\nItems in → out\n\n")
	table := newTable(r.to)
	fmt.Fprintln(table, "  source\tspans\tmetric points\tmetric series\tlog records\tnames changed\tnon-conformant names left")
	row := func(source, spans, points, series, logs string) {
		got := r.out.of(source)
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\t%d\t%d\n", source, spans, points, series, logs, len(got.renamed), len(got.wrong))
	}
	entries := 0
	for _, system := range systems {
		in, pushed, got := r.sent.counts[system], r.sent.metrics.of(system).metrics, r.out.of(system)
		entries += in.LogEntries
		r.compare(system, pushed, got.metrics)
		row(system, r.kept(system, "spans", in.Spans, got.spans), flow(pushed.points, got.metrics.points),
			flow(len(pushed.series), len(got.metrics.series)), r.kept(system, "log records", in.LogEvents, len(r.out.records[system])))
		if in.ScrapeSeries > 0 {
			source := scrapedFrom(system)
			scraped := r.out.of(source).metrics
			r.missing(source, scraped, in.ScrapeFamilies)
			row(source, "–", fmt.Sprintf("→ %d", scraped.points), flow(in.ScrapeSeries, len(scraped.series)), "–")
		}
	}
	row(logFileSource, "–", "–", "–", r.kept(logFileSource, "entries", entries, r.out.textRecords()))
	for source, got := range r.out.sources {
		for name := range got.wrong {
			r.fault(source, "name left: %q", name)
		}
		for family := range got.metrics.doubled {
			r.fault(source, "two points of one series at one time: %q", family)
		}
	}
	return table.Flush()
}

// kept is the flow of what has to come out as often as it came in.
func (r *reporter) kept(source, what string, in, out int) string {
	if in != out {
		r.fault(source, "%d %s in, %d out", in, what, out)
	}
	return flow(in, out)
}

// names prints a few of the names that changed.
func (r *reporter) names() error {
	fmt.Fprintf(r.to, "\nNames: original → new\n\n")
	table := tabwriter.NewWriter(r.to, 2, 0, 1, ' ', 0)
	for _, source := range slices.Sorted(maps.Keys(r.out.sources)) {
		renamed := r.out.of(source).renamed
		for i, original := range examples(renamed) {
			label := source
			if i > 0 {
				label = ""
			}
			fmt.Fprintf(table, "  %s\t  %s\t→ %s\n", label, shorten(original, 64), renamed[original])
		}
	}
	return table.Flush()
}

// canonical prints the names that the metrics of inference engines have in common.
func (r *reporter) canonical() error {
	fmt.Fprintf(r.to, "\nCanonical metrics of inference engines, beside their own\n\n")
	for _, source := range slices.Sorted(maps.Keys(r.out.sources)) {
		if copies := r.out.of(source).copies; len(copies) > 0 {
			fmt.Fprintf(r.to, "  %s: %s\n", source, strings.Join(slices.Sorted(maps.Keys(copies)), ", "))
		}
	}
	if kept := r.out.of(scrapedFrom(engine)); len(kept.renamed) > 0 || len(kept.copies) == 0 {
		r.fault(engine, "%d names changed, %d canonical metrics", len(kept.renamed), len(kept.copies))
	}
	return nil
}

// examples picks three originals with different new names, spread over the
// alphabet so that they differ in kind.
func examples(renamed map[string]string) []string {
	byNew := map[string]string{}
	for original, name := range renamed {
		if first, ok := byNew[name]; !ok || original < first {
			byNew[name] = original
		}
	}
	all := slices.Sorted(maps.Values(byNew))
	if len(all) <= 3 {
		return all
	}
	return []string{all[0], all[len(all)/2], all[len(all)-1]}
}
