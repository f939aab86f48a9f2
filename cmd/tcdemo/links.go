// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
)

// linking is what became of one system's traces.
type linking struct {
	traces          int
	alone           int // without a link to another when they were sent
	linked          int // with a link to another now
	findable, found int // pairs that can be found, and pairs that were found
	own             int // links of a span to itself
	doubled         int // links that their span had already
	bothWays        int // pairs whose spans are linked to each other
	wrong           []string
}

// linksOfRule are the links that one rule derived.
type linksOfRule struct {
	links, forward int
	bySpan, byLog  int // what gave the key of the span linked to
}

// minFound is the least share of the pairs that can be found that has to be.
const minFound = 0.99

// add counts what became of another system's traces as well.
func (l *linking) add(other *linking) {
	l.traces += other.traces
	l.alone += other.alone
	l.linked += other.linked
	l.findable += other.findable
	l.found += other.found
	l.own += other.own
	l.doubled += other.doubled
	l.bothWays += other.bothWays
	l.wrong = append(l.wrong, other.wrong...)
}

// faults returns what is wrong with a system's links.
func (l *linking) faults() []error {
	var faults []error
	if len(l.wrong) > 0 {
		faults = append(faults, fmt.Errorf("%d wrong links; the first: %s", len(l.wrong), l.wrong[0]))
	}
	if float64(l.found) < minFound*float64(l.findable) {
		faults = append(faults, fmt.Errorf("%d pairs of spans belong together, %d came out linked", l.findable, l.found))
	}
	if l.own > 0 {
		faults = append(faults, fmt.Errorf("%d links of a span to itself", l.own))
	}
	if l.doubled > 0 {
		faults = append(faults, fmt.Errorf("%d links twice on one span", l.doubled))
	}
	if l.bothWays > 0 {
		faults = append(faults, fmt.Errorf("%d pairs of spans linked both ways", l.bothWays))
	}
	return faults
}

// links prints the tables of traces and of rules.
func (r *reporter) links(j joined) error {
	fmt.Fprintf(r.out, "\nTraces that belong together\n\n")
	table := newTable(r.out)
	fmt.Fprintln(table, "  source\ttraces\talone before\tlinked to another after\tpairs found, of those that can be\twrong links")
	row := func(source string, l *linking) {
		fmt.Fprintf(table, "  %s\t%d\t%d\t%d\t%s\t%d\n", source, l.traces, l.alone, l.linked, share(l.found, l.findable), len(l.wrong))
	}
	all := &linking{}
	for _, system := range slices.Sorted(maps.Keys(j.systems)) {
		l := j.systems[system]
		r.fault(system, l.faults()...)
		row(system, l)
		all.add(l)
	}
	row("all", all)
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(r.out)
	return r.rules(j.rules)
}

// rules prints the table of rules.
func (r *reporter) rules(rules map[string]*linksOfRule) error {
	table := newTable(r.out)
	fmt.Fprintln(table, "  rule\tlinks\tof these forward, on the earlier span\tby a span\tby a log")
	row := func(name string, l *linksOfRule) {
		fmt.Fprintf(table, "  %s\t%d\t%d\t%d\t%d\n", name, l.links, l.forward, l.bySpan, l.byLog)
	}
	all := &linksOfRule{}
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		l := rules[name]
		row(name, l)
		all.links += l.links
		all.forward += l.forward
		all.bySpan += l.bySpan
		all.byLog += l.byLog
	}
	row("all", all)
	return table.Flush()
}
