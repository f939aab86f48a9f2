// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

// linkJudge holds the links that came out against the truth about what belongs together.
type linkJudge struct {
	*reporter
	found  map[edge]scenario.SpanRef // with the span that carries the link
	linked map[pcommon.TraceID]bool  // the traces with a link to another
	wrong  int                       // links of the system judged now
}

// links prints the table of traces, and notes links that are wrong.
func (r *reporter) links() error {
	fmt.Fprintf(r.to, "\nTraces that belong together\n\n")
	table := newTable(r.to)
	fmt.Fprintln(table, "  source\ttraces\tlinked to another\tpairs found, of those that can be\twrong links")
	j := &linkJudge{r, map[edge]scenario.SpanRef{}, map[pcommon.TraceID]bool{}, 0}
	for _, system := range systems {
		j.wrong = 0
		traces, linked := map[pcommon.TraceID]bool{}, 0
		for _, span := range r.out.of(system).spans {
			traces[span.TraceID()] = true
			j.span(system, span)
		}
		for trace := range traces {
			if j.linked[trace] {
				linked++
			}
		}
		found, findable := j.pairs(system)
		if float64(found) < minJoined*float64(findable) {
			r.fault(system, "%d pairs of spans belong together, %d came out linked", findable, found)
		}
		fmt.Fprintf(table, "  %s\t%d\t%d\t%s\t%d\n", system, len(traces), linked, share(found, findable), j.wrong)
	}
	return table.Flush()
}

// pairs counts the pairs of a system that can be found, and those that were.
func (j *linkJudge) pairs(system string) (found, findable int) {
	for between, p := range j.sent.pairs {
		if p.system != system || !p.findable {
			continue
		}
		findable++
		if _, ok := j.found[between]; ok {
			found++
		}
	}
	return found, findable
}

// span looks at the links of a span.
func (j *linkJudge) span(system string, span ptrace.Span) {
	on := scenario.SpanRef{TraceID: span.TraceID(), SpanID: span.SpanID()}
	targets := map[scenario.SpanRef]bool{}
	for _, link := range span.Links().All() {
		to := scenario.SpanRef{TraceID: link.TraceID(), SpanID: link.SpanID()}
		if targets[to] {
			j.fault(system, "two links of span %s to %s", on.SpanID, to.SpanID)
		}
		targets[to] = true
		if on.TraceID != to.TraceID {
			j.linked[on.TraceID], j.linked[to.TraceID] = true, true
		}
		// Whatever has no rule was sent: the collector says it of all its own.
		if text(link.Attributes(), "tc.link.rule") != "" {
			j.derived(system, on, to, link.Attributes())
		}
	}
}

// derived judges a link that the collector derived.
func (j *linkJudge) derived(system string, on, to scenario.SpanRef, link pcommon.Map) {
	says := edge{to, on}
	// The earlier span may carry the link, not the later one.
	if text(link, "tc.link.direction") == "forward" {
		says = edge{on, to}
	}
	if _, right := j.sent.pairs[says]; !right {
		how := "which do not belong together"
		if _, turned := j.sent.pairs[edge{says.to, says.from}]; turned {
			how = "the wrong way round"
		}
		j.wrong++
		j.fault(system, "wrong link: %s joins span %s of trace %s and, after it, %s of %s: %s", text(link, "tc.link.rule"),
			says.from.SpanID, says.from.TraceID, says.to.SpanID, says.to.TraceID, how)
		return
	}
	if holder, again := j.found[says]; again && holder != on {
		j.fault(system, "spans %s and %s are linked both ways", says.from.SpanID, says.to.SpanID)
	}
	j.found[says] = on
}
