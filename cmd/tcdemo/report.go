package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// report prints what came of what was sent. It returns an error when something
// was lost, doubled, or left with a wrong name.
func report(w io.Writer, sent map[string]sentItems, got output, data string) error {
	lines := 0
	for _, s := range sent {
		lines += s.LogLines
	}
	var faults []error

	fmt.Fprintf(w, "\nItems in → out\n\n")
	table := tabwriter.NewWriter(w, 2, 0, 3, ' ', 0)
	fmt.Fprintln(table, "  source\tspans\tmetric points\tlog records\tnames changed\tnon-conformant names left")
	row := func(source, spans, points, logs string) {
		r := got.of(source)
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%d\t%d\n", source, spans, points, logs, len(r.renamed), len(r.wrong))
		for _, name := range slices.Sorted(maps.Keys(r.wrong)) {
			faults = append(faults, fmt.Errorf("%s: name left: %q", source, name))
		}
	}
	flow := func(source, what string, in, out int) string {
		switch {
		case in == 0 && out == 0:
			return "–"
		case in != out:
			faults = append(faults, fmt.Errorf("%s: %d %s in, %d out", source, in, what, out))
		}
		return fmt.Sprintf("%d → %d", in, out)
	}
	for _, system := range slices.Sorted(maps.Keys(sent)) {
		s, r := sent[system], got.of(system)
		row(system, flow(system, "spans", s.Spans, r.spans), flow(system, "metric points", s.MetricPoints, r.points),
			flow(system, "log records", s.LogRecords, r.logs))
	}
	row(scrapeSource, "–", fmt.Sprintf("%d scraped", got.of(scrapeSource).points), "–")
	row(logFileSource, "–", "–", flow(logFileSource, "lines", lines, got.of(logFileSource).logs))
	if err := table.Flush(); err != nil {
		return err
	}

	fmt.Fprintf(w, "\nNames: original → new\n\n")
	table = tabwriter.NewWriter(w, 2, 0, 1, ' ', 0)
	for _, source := range append(slices.Sorted(maps.Keys(sent)), scrapeSource) {
		for i, original := range examples(got.of(source).renamed) {
			label := source
			if i > 0 {
				label = ""
			}
			fmt.Fprintf(table, "  %s\t  %s\t→ %s\n", label, shorten(original, 64), got.of(source).renamed[original])
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}

	fmt.Fprintf(w, "\nFiles: %s\n", strings.Join([]string{
		filepath.Join(data, "traces.json"), filepath.Join(data, "metrics.json"), filepath.Join(data, "logs.json"),
	}, ", "))
	return errors.Join(faults...)
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
