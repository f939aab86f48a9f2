// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// scores count the items that the conformance connector judged, by service and signal.
type scores map[string]map[string]*score

type score struct{ items, conformant, renamed int64 }

// signals are the columns of the table.
var signals = []string{"traces", "metrics", "logs", "attributes"}

// read takes the counts of one batch. They are cumulative, so that the last batch holds.
func (s scores) read(line []byte) error {
	md, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(line)
	if err != nil {
		return err
	}
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				if m.Type() != pmetric.MetricTypeSum {
					continue
				}
				for _, point := range m.Sum().DataPoints().All() {
					s.count(m.Name(), point.Attributes(), point.IntValue())
				}
			}
		}
	}
	return nil
}

func (s scores) count(metric string, labels pcommon.Map, n int64) {
	service, signal := text(labels.Get("service")), text(labels.Get("signal"))
	if text(labels.Get("owned")) == "false" {
		service += nobodys
	}
	to := s.of(service, signal)
	switch metric {
	case "tc_conformance_items":
		to.items = n
	case "tc_conformance_conformant_items":
		to.conformant = n
	case "tc_conformance_renamed_items":
		to.renamed = n
	}
}

// nobodys follows a service's name in the row of its names that no pack owns, which pass: an engine's web
// server has some.
const nobodys = ", nobody's names"

func (s scores) of(service, signal string) *score {
	if s[service] == nil {
		s[service] = map[string]*score{}
		for _, signal := range signals {
			s[service][signal] = &score{}
		}
	}
	return s[service][signal]
}

// scores prints the table of what conforms. All that came out has to be in it, and its
// names have to conform, as they do by the demo's own reckoning.
func (r *reporter) scores() error {
	fmt.Fprintf(r.to, "\nWhat conforms, as it came in → as it goes out (logs: have a trace)\n\n")
	table := newTable(r.to)
	fmt.Fprintln(table, "  service\tspans\tmetrics\tlogs\tattributes")
	judged := map[string]int64{}
	for _, service := range slices.Sorted(maps.Keys(r.out.scores)) {
		row, items := "  "+service, int64(0)
		for _, signal := range signals {
			s := r.out.scores.of(service, signal)
			judged[signal] += s.items
			items += s.items
			row += "\t" + s.text(signal)
			if signal != "logs" && s.conformant != s.items && !strings.HasSuffix(service, nobodys) {
				r.fault(service, "%d of %d %s do not conform", s.items-s.conformant, s.items, signal)
			}
		}
		if items > 0 {
			fmt.Fprintln(table, row)
		}
	}
	spans, records := 0, r.out.textRecords()
	for _, got := range r.out.sources {
		spans += got.spans
	}
	for _, got := range r.out.records {
		records += len(got)
	}
	r.kept("conformance", "spans", spans, int(judged["traces"]))
	r.kept("conformance", "log records", records, int(judged["logs"]))
	return table.Flush()
}

func (s *score) text(signal string) string {
	switch {
	case s.items == 0:
		return "–"
	case signal == "traces" || signal == "metrics": // whose items say what they were called
		return fmt.Sprintf("%d %% → %d %%", 100*(s.conformant-s.renamed)/s.items, 100*s.conformant/s.items)
	default:
		return fmt.Sprintf("%d %%", 100*s.conformant/s.items)
	}
}
