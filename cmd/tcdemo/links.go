// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/judge"
)

// links prints the table of traces, and notes links that are wrong.
func (r *reporter) links() error {
	fmt.Fprintf(r.to, "\nTraces that belong together\n\n")
	table := newTable(r.to)
	fmt.Fprintln(table, "  source\ttraces\tlinked to another\tpairs found, of those that can be\twrong links")
	for _, system := range systems {
		traces, linked := map[pcommon.TraceID]bool{}, map[pcommon.TraceID]bool{}
		links, wrong := map[edge]bool{}, 0
		for _, span := range r.out.of(system).spans {
			traces[span.TraceID()] = true
			for _, link := range judge.DerivedLinks(span) {
				linked[link.Earlier.TraceID], linked[link.Later.TraceID] = true, true
				if !r.right(system, link, links) {
					wrong++
				}
			}
		}
		found, findable := r.pairs(system, links)
		if float64(found) < minJoined*float64(findable) {
			r.fault(system, "%d pairs of spans belong together, %d came out linked", findable, found)
		}
		fmt.Fprintf(table, "  %s\t%d\t%d\t%s\t%d\n", system, len(traces), len(linked), share(found, findable), wrong)
	}
	return table.Flush()
}

// right judges a link, and adds it to those that were seen.
func (r *reporter) right(system string, link judge.Link, seen map[edge]bool) bool {
	between := edge{link.Earlier, link.Later}
	_, right := r.sent.pairs[between]
	how := ""
	switch {
	case !right:
		how = "which do not belong together"
	case seen[between]:
		how = "linked twice"
	}
	seen[between] = true
	if how != "" {
		r.fault(system, "wrong link: %s joins span %s of trace %s and, after it, %s of %s: %s", link.Rule,
			link.Earlier.SpanID, link.Earlier.TraceID, link.Later.SpanID, link.Later.TraceID, how)
	}
	return how == ""
}

// pairs counts the pairs of a system that can be found, and those that are linked.
func (r *reporter) pairs(system string, links map[edge]bool) (found, findable int) {
	for between, p := range r.sent.pairs {
		if p.system != system || !p.findable {
			continue
		}
		findable++
		if links[between] {
			found++
		}
	}
	return found, findable
}
