// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/judge"
	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

// minJoined is the least share of the logs that state their span that has to come out in it, and of
// the pairs of spans that can be found that has to be linked.
const minJoined = 0.99

// minNamed is the least share of the logs of a file that name their request that has to come out in its trace.
const minNamed = 0.95

// requestKeys are the attributes of spans with the ids of requests that logs name.
var requestKeys = []string{"rid", "gen_ai.request.id", "tuft.request_id"}

// logCounts are the logs of a source by what became of them.
type logCounts struct {
	in, out           int
	unknown           int // came out, but were not sent
	inSpan, keptTrace int // written in a span, and of these came out in its trace
	states, keptState int // state their span, and of these came out in it
	names, keptNamed  int // name their request, and of these came out in its trace
}

// logs prints the table of logs, and notes those that came out in a wrong span.
func (r *reporter) logs() error {
	fmt.Fprintf(r.to, "\nLogs that came out in the span or the trace they were written in\n\n")
	table := newTable(r.to)
	fmt.Fprintln(table, "  source\tin → out\tin their span, of those that state it\tin its trace, of those that name their request\tof all written in a span")
	names := slices.Collect(maps.Keys(r.sent.lines))
	for name, got := range r.out.sources {
		if len(got.records) > 0 && r.sent.lines[name] == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	requests := r.out.requests()
	for _, name := range names {
		c := r.countLogs(name, requests)
		if c.in != c.out || c.unknown > 0 {
			r.fault(name, "%d logs in, %d out, of which %d were not sent", c.in, c.out, c.unknown)
		}
		if float64(c.keptState) < minJoined*float64(c.states) {
			r.fault(name, "%d logs state their span, %d came out in it", c.states, c.keptState)
		}
		if float64(c.keptNamed) < minNamed*float64(c.names) {
			r.fault(name, "%d logs name their request, %d came out in its trace", c.names, c.keptNamed)
		}
		fmt.Fprintf(table, "  %s\t%d → %d\t%s\t%s\t%s\n", name, c.in, c.out,
			share(c.keptState, c.states), share(c.keptNamed, c.names), share(c.keptTrace, c.inSpan))
	}
	return table.Flush()
}

// countLogs counts the logs of a source, with the ids of requests by their traces.
func (r *reporter) countLogs(name string, requests map[pcommon.TraceID][]string) (c logCounts) {
	lines, records := r.sent.lines[name], r.out.of(name).records
	c.in, c.out = len(lines), len(records)
	for _, l := range lines {
		if statesSpan(l) {
			c.states++
		}
		if !l.Span.SpanID.IsEmpty() {
			c.inSpan++
		}
		if namesRequest(l, requests) {
			c.names++
		}
	}
	for _, record := range records {
		l, known := r.sent.take(name, record)
		if !known {
			c.unknown++
			continue
		}
		r.countLog(name, &c, l, record)
		if record.TraceID() == l.Span.TraceID && namesRequest(l, requests) {
			c.keptNamed++
		}
	}
	return c
}

// countLog counts a log that came out.
func (r *reporter) countLog(name string, c *logCounts, l scenario.Line, record plog.LogRecord) {
	got := judge.SpanOf(record)
	switch got {
	case scenario.SpanRef{}:
	case l.Span:
		c.keptTrace++
		if statesSpan(l) {
			c.keptState++
		}
	case scenario.SpanRef{TraceID: l.Span.TraceID}:
		c.keptTrace++
	default:
		r.fault(name, "wrong ids %q and %q, not %q and %q: %q", got.TraceID, got.SpanID, l.Span.TraceID, l.Span.SpanID, shorten(l.Text, 120))
	}
}

// requests returns the ids of requests by their traces.
func (o output) requests() map[pcommon.TraceID][]string {
	requests := map[pcommon.TraceID][]string{}
	for _, got := range o.sources {
		for _, span := range got.spans {
			for _, key := range requestKeys {
				// Some lines have the id without its prefix or its number, or with others.
				id := strings.TrimPrefix(strings.TrimPrefix(text(span.Attributes(), key), "chat"), "cmpl-")
				id, _, _ = strings.Cut(id, "_")
				id, _, _ = strings.Cut(id, "::")
				if id != "" {
					requests[span.TraceID()] = append(requests[span.TraceID()], id)
				}
			}
		}
	}
	return requests
}

// namesRequest reports whether a log names the request of its trace, and states no other trace.
func namesRequest(l scenario.Line, requests map[pcommon.TraceID][]string) bool {
	return l.States != scenario.StatesConflict && slices.ContainsFunc(requests[l.Span.TraceID], func(id string) bool { return strings.Contains(l.Text, id) })
}

func statesSpan(l scenario.Line) bool {
	return l.States == scenario.StatesNative || l.States == scenario.StatesIDs
}
