// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

// Counts of traces and links.
const (
	tracesAll     = "traces"
	tracesAlone   = "alone"  // without a link to another when they were sent
	tracesLinked  = "linked" // with a link to another now
	pairsFindable = "findable"
	pairsFound    = "found"
	linksWrong    = "wrong"
)

// minFound is the least share of the pairs that can be found that has to be.
const minFound = 0.99

// linkJudge holds the links that came out against the truth about what belongs together.
type linkJudge struct {
	*reporter
	tallies tallies
	found   map[edge]scenario.SpanRef // with the span that carries the link
	// before and after are the traces that are linked to another.
	before, after map[pcommon.TraceID]bool
}

// links prints the table of traces, and notes links that are wrong.
func (r *reporter) links() error {
	j := &linkJudge{r, tallies{}, map[edge]scenario.SpanRef{}, map[pcommon.TraceID]bool{}, map[pcommon.TraceID]bool{}}
	for _, p := range r.sent.pairs {
		j.tallies.of(p.system).countIf(pairsFindable, p.findable)
	}
	for system, spans := range r.out.spans {
		for _, span := range spans {
			j.span(system, span)
		}
	}
	for system, spans := range r.out.spans {
		seen := map[pcommon.TraceID]bool{}
		for _, span := range spans {
			trace, c := span.TraceID(), j.tallies.of(system)
			if !seen[trace] {
				c[tracesAll]++
				c.countIf(tracesAlone, !j.before[trace])
				c.countIf(tracesLinked, j.after[trace])
			}
			seen[trace] = true
		}
	}
	for system, c := range j.tallies {
		if float64(c[pairsFound]) < minFound*float64(c[pairsFindable]) {
			r.fault(system, "%d pairs of spans belong together, %d came out linked", c[pairsFindable], c[pairsFound])
		}
	}
	fmt.Fprintf(r.to, "\nTraces that belong together\n\n")
	header := "source\ttraces\talone before\tlinked to another after\tpairs found, of those that can be\twrong links"
	return j.tallies.print(r.to, header, func(c tally) string {
		return fmt.Sprintf("%d\t%d\t%d\t%s\t%d", c[tracesAll], c[tracesAlone], c[tracesLinked], share(c[pairsFound], c[pairsFindable]), c[linksWrong])
	})
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
		// Whatever has no rule was sent: the collector says it of all its own.
		_, derived := link.Attributes().Get("tc.link.rule")
		if on.TraceID != to.TraceID {
			for _, trace := range []pcommon.TraceID{on.TraceID, to.TraceID} {
				j.after[trace] = true
				j.before[trace] = j.before[trace] || !derived
			}
		}
		if derived {
			j.derived(system, on, to, link.Attributes())
		}
	}
}

// derived judges a link that the collector derived.
func (j *linkJudge) derived(system string, on, to scenario.SpanRef, link pcommon.Map) {
	says := edge{to, on}
	// The earlier span may carry the link, not the later one.
	if text(link.Get("tc.link.direction")) == "forward" {
		says = edge{on, to}
	}
	truth, right := j.sent.pairs[says]
	if !right {
		how := "which do not belong together"
		if _, turned := j.sent.pairs[edge{says.to, says.from}]; turned {
			how = "the wrong way round"
		}
		j.tallies.of(system)[linksWrong]++
		j.fault(system, "wrong link: %s joins span %s of trace %s and, after it, %s of %s: %s", text(link.Get("tc.link.rule")),
			says.from.SpanID, says.from.TraceID, says.to.SpanID, says.to.TraceID, how)
		return
	}
	holder, again := j.found[says]
	if again && holder != on {
		j.fault(system, "spans %s and %s are linked both ways", says.from.SpanID, says.to.SpanID)
	}
	if !again {
		j.found[says] = on
		j.tallies.of(truth.system).countIf(pairsFound, truth.findable)
	}
}
