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
	out    io.Writer
	sent   map[string]sentItems
	pushed output     // the metrics that were sent over OTLP
	logged truth      // the logs that were sent and written
	paired []sentPair // the spans that belong together
	got    output     // all that came out
	scored scores     // what conformance says of it
	since  time.Time  // the collector's start
	faults []error
}

// report prints what came of what was sent. It returns an error when something
// was lost, doubled, left with a wrong name, put into a wrong span or none, or linked
// to what it does not belong to.
func (r *reporter) report(data string) error {
	if err := r.items(); err != nil {
		return err
	}
	if err := r.names(); err != nil {
		return err
	}
	r.canonical()
	if err := r.logs(correlate(r.logged, r.got.records, r.got.texts)); err != nil {
		return err
	}
	if err := r.links(join(r.paired, r.got.spans)); err != nil {
		return err
	}
	if err := r.scores(); err != nil {
		return err
	}
	fmt.Fprintf(r.out, "\nFiles in %s: traces.json, metrics.json, logs.json, span_metrics.json, scores.json, findings.json\n", data)
	return errors.Join(r.faults...)
}

func (r *reporter) fault(source string, faults ...error) {
	for _, f := range faults {
		r.faults = append(r.faults, fmt.Errorf("%s: %w", source, f))
	}
}

// items prints the table of items, a line for each source.
func (r *reporter) items() error {
	fmt.Fprintf(r.out, "\nItems in → out\n\n")
	table := newTable(r.out)
	fmt.Fprintln(table, "  source\tspans\tmetric points\tmetric series\tlog records\tnames changed\tnon-conformant names left")
	row := func(source, spans, points, series, logs string) {
		got := r.got.of(source)
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\t%d\t%d\n", source, spans, points, series, logs, len(got.renamed), len(got.wrong))
	}
	entries := 0
	for _, system := range slices.Sorted(maps.Keys(r.sent)) {
		sent, pushed, got := r.sent[system], r.pushed.of(system).metrics, r.got.of(system)
		entries += sent.LogEntries
		r.fault(system, got.metrics.compare(pushed, r.since)...)
		row(system, r.kept(system, "spans", sent.Spans, got.spans), flow(pushed.points, got.metrics.points),
			flow(len(pushed.series), len(got.metrics.series)), r.kept(system, "log records", sent.LogEvents, len(r.got.records[system])))
		if sent.ScrapeSeries > 0 {
			source := scrapedFrom(system)
			scraped := r.got.of(source).metrics
			r.fault(source, scraped.missing(sent.ScrapeFamilies)...)
			row(source, "–", fmt.Sprintf("→ %d", scraped.points), flow(sent.ScrapeSeries, len(scraped.series)), "–")
		}
	}
	row(logFileSource, "–", "–", "–", r.kept(logFileSource, "entries", entries, r.got.textRecords()))
	for source, got := range r.got.sources {
		for name := range got.wrong {
			r.fault(source, fmt.Errorf("name left: %q", name))
		}
		for family := range got.metrics.doubled {
			r.fault(source, fmt.Errorf("two points of one series at one time: %q", family))
		}
	}
	return table.Flush()
}

func newTable(out io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(out, 2, 0, 3, ' ', 0) }

// kept is the flow of what has to come out as often as it came in.
func (r *reporter) kept(source, what string, in, out int) string {
	if in != out {
		r.fault(source, fmt.Errorf("%d %s in, %d out", in, what, out))
	}
	return flow(in, out)
}

func flow(in, out int) string {
	if in == 0 && out == 0 {
		return "–"
	}
	return fmt.Sprintf("%d → %d", in, out)
}

// names prints a few of the names that changed.
func (r *reporter) names() error {
	fmt.Fprintf(r.out, "\nNames: original → new\n\n")
	table := tabwriter.NewWriter(r.out, 2, 0, 1, ' ', 0)
	for _, source := range slices.Sorted(maps.Keys(r.got.sources)) {
		renamed := r.got.of(source).renamed
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
func (r *reporter) canonical() {
	fmt.Fprintf(r.out, "\nCanonical metrics of inference engines, beside their own\n\n")
	for _, source := range slices.Sorted(maps.Keys(r.got.sources)) {
		if copies := r.got.of(source).copies; len(copies) > 0 {
			fmt.Fprintf(r.out, "  %s: %s\n", source, strings.Join(slices.Sorted(maps.Keys(copies)), ", "))
		}
	}
	if kept := r.got.of(scrapedFrom(engine)); len(kept.renamed) > 0 || len(kept.copies) == 0 {
		r.fault(engine, fmt.Errorf("%d names changed, %d canonical metrics", len(kept.renamed), len(kept.copies)))
	}
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

func shorten(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}
