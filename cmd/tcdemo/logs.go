// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
)

// correlation is what became of one source's logs.
type correlation struct {
	in, out          int
	traceBefore      int // sent with a trace id
	traceAfter       int // came out with one
	states, kept     int // those that state their span, and of these those that came out in it
	inSpan, inTheirs int // those written in a span, and of these those that came out in it
	inTrace          int // and those that came out in its trace at least
	unknown          int // came out, but were not sent
	wrong            []string
}

// minKept is the least share of the logs that state their span that has to come out
// in it.
const minKept = 0.99

// correlate compares logs that came out with the truth about them.
func correlate(t truth, records, texts map[string][]receivedLog) map[string]*correlation {
	sources := map[string]*correlation{}
	of := func(source string) *correlation {
		if sources[source] == nil {
			sources[source] = &correlation{}
		}
		return sources[source]
	}
	for _, sent := range t.records {
		for _, s := range sent {
			of(s.source()).sent(s)
		}
	}
	for _, sent := range t.entries {
		for _, s := range sent {
			of(s.source()).sent(s)
		}
	}
	for system, received := range records {
		for _, r := range received {
			s, ok := t.takeRecord(system, r)
			of(system).received(r, s, ok)
		}
	}
	for file, received := range texts {
		for _, r := range received {
			s, ok := t.takeEntry(file, r)
			of(textSource(file)).received(r, s, ok)
		}
	}
	return sources
}

func (c *correlation) sent(s sentLog) {
	c.in++
	if s.States == statesNative {
		c.traceBefore++
	}
	if s.statesSpan() {
		c.states++
	}
	if s.SpanID != "" {
		c.inSpan++
	}
}

func (c *correlation) received(r receivedLog, s sentLog, known bool) {
	c.out++
	if r.traceID != "" {
		c.traceAfter++
	}
	switch {
	case !known:
		c.unknown++
	case r.traceID != "" && r.traceID != s.TraceID, r.spanID != "" && (r.spanID != s.SpanID || r.traceID == ""):
		c.wrong = append(c.wrong, fmt.Sprintf("ids %q and %q, not %q and %q: %q", r.traceID, r.spanID, s.TraceID, s.SpanID, shorten(s.Text, 120)))
	case r.spanID != "":
		c.inTrace++
		c.inTheirs++
		if s.statesSpan() {
			c.kept++
		}
	case r.traceID != "":
		c.inTrace++
	}
}

// add counts what became of another source's logs as well.
func (c *correlation) add(other *correlation) {
	c.in += other.in
	c.out += other.out
	c.traceBefore += other.traceBefore
	c.traceAfter += other.traceAfter
	c.states += other.states
	c.kept += other.kept
	c.inSpan += other.inSpan
	c.inTheirs += other.inTheirs
	c.inTrace += other.inTrace
	c.unknown += other.unknown
	c.wrong = append(c.wrong, other.wrong...)
}

// faults returns what is wrong with a source's logs.
func (c *correlation) faults() []error {
	var faults []error
	if c.in != c.out || c.unknown > 0 {
		faults = append(faults, fmt.Errorf("%d logs in, %d out, of which %d were not sent", c.in, c.out, c.unknown))
	}
	if len(c.wrong) > 0 {
		faults = append(faults, fmt.Errorf("%d logs with wrong ids; the first: %s", len(c.wrong), c.wrong[0]))
	}
	if float64(c.kept) < minKept*float64(c.states) {
		faults = append(faults, fmt.Errorf("%d logs state their span, %d came out in it", c.states, c.kept))
	}
	return faults
}

// logs prints the table of logs.
func (r *reporter) logs(sources map[string]*correlation) error {
	fmt.Fprintf(r.out, "\nLogs that came out in the span they were written in\n\n")
	table := newTable(r.out)
	fmt.Fprintln(table, "  source\tin → out\twith a trace id, in → out\tof those that state their span\tof all written in a span\tin their trace")
	row := func(source string, c *correlation) {
		fmt.Fprintf(table, "  %s\t%d → %d\t%d → %d\t%s\t%s\t%s\n", source, c.in, c.out, c.traceBefore, c.traceAfter,
			share(c.kept, c.states), share(c.inTheirs, c.inSpan), share(c.inTrace, c.inSpan))
	}
	all := &correlation{}
	for _, source := range slices.Sorted(maps.Keys(sources)) {
		c := sources[source]
		r.fault(source, c.faults()...)
		row(source, c)
		all.add(c)
	}
	row("all", all)
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(r.out, "\n  %d in a wrong trace or span: where a log does not state its span, none is guessed\n", len(all.wrong))
	return err
}

// share is a part of a whole, rounded down so that only all are 100 %.
func share(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%d of %d (%d %%)", part, whole, 100*part/whole)
}
