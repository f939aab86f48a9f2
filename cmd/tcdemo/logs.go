// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
)

// textSources name the text logs by system and format.
var textSources = map[string]string{
	"tensorcast_daemon.log":        "tensorcast, C++ text",
	"tensorcast_peer_daemon.log":   "tensorcast, C++ text",
	"tensorcast_global_store.log":  "tensorcast, Python text",
	"tensorcast_daemon_stderr.log": "tensorcast, glog text",
	"fastdeploy_mixed-0.log":       "fastdeploy, text",
	"fastdeploy_prefill-0.log":     "fastdeploy, text",
	"fastdeploy_decode-0.log":      "fastdeploy, text",

	"fastdeploy_mixed-0_trace.log":   "fastdeploy, trace text",
	"fastdeploy_prefill-0_trace.log": "fastdeploy, trace text",
	"fastdeploy_decode-0_trace.log":  "fastdeploy, trace text",

	"vllm.log": "vllm, text",
}

// Counts of logs.
const (
	logsIn      = "in"
	logsOut     = "out"
	logsUnknown = "unknown" // came out, but were not sent
	traceBefore = "trace before"
	traceAfter  = "trace after"
	inSpan      = "in a span"     // written in a span
	keptSpan    = "kept span"     // of these, came out in it
	keptTrace   = "kept trace"    // of these, came out in its trace at least
	states      = "states"        // state their span
	keptStates  = "kept, stating" // of these, came out in it
	wrongIDs    = "wrong ids"
)

// minKept is the least share of the logs that state their span that has to come out
// in it.
const minKept = 0.99

// logs prints the table of logs, and notes those that came out in a wrong span.
func (r *reporter) logs() error {
	tallies := tallies{}
	for key, all := range r.sent.records {
		for _, l := range all {
			tallies.of(key.system).sent(l)
		}
	}
	for file, all := range r.sent.entries {
		for _, l := range all {
			tallies.of(textSources[file]).sent(l)
		}
	}
	for system, records := range r.out.records {
		for _, record := range records {
			l, known := r.sent.takeRecord(system, record)
			r.log(system, tallies.of(system), record, l, known)
		}
	}
	for file, records := range r.out.texts {
		for _, record := range records {
			l, known := r.sent.takeEntry(file, record)
			r.log(textSources[file], tallies.of(textSources[file]), record, l, known)
		}
	}
	fmt.Fprintf(r.to, "\nLogs that came out in the span they were written in\n\n")
	header := "source\tin → out\twith a trace id, in → out\tof those that state their span\tof all written in a span\tin their trace"
	err := tallies.print(r.to, header, func(c tally) string {
		return fmt.Sprintf("%d → %d\t%d → %d\t%s\t%s\t%s", c[logsIn], c[logsOut], c[traceBefore], c[traceAfter],
			share(c[keptStates], c[states]), share(c[keptSpan], c[inSpan]), share(c[keptTrace], c[inSpan]))
	})
	for source, c := range tallies {
		if c[logsIn] != c[logsOut] || c[logsUnknown] > 0 {
			r.fault(source, "%d logs in, %d out, of which %d were not sent", c[logsIn], c[logsOut], c[logsUnknown])
		}
		if float64(c[keptStates]) < minKept*float64(c[states]) {
			r.fault(source, "%d logs state their span, %d came out in it", c[states], c[keptStates])
		}
	}
	fmt.Fprintf(r.to, "\n  %d in a wrong trace or span: where a log does not state its span, none is guessed\n", tallies.sum()[wrongIDs])
	return err
}

func statesSpan(l scenario.Line) bool {
	return l.States == scenario.StatesNative || l.States == scenario.StatesIDs
}

func (c tally) sent(l scenario.Line) {
	c[logsIn]++
	c.countIf(traceBefore, l.States == scenario.StatesNative)
	c.countIf(states, statesSpan(l))
	c.countIf(inSpan, !l.Span.SpanID.IsEmpty())
}

// log counts a log that came out.
func (r *reporter) log(source string, c tally, record plog.LogRecord, l scenario.Line, known bool) {
	trace, span := record.TraceID(), record.SpanID()
	c[logsOut]++
	c.countIf(traceAfter, !trace.IsEmpty())
	switch {
	case !known:
		c[logsUnknown]++
	case !trace.IsEmpty() && trace != l.Span.TraceID, !span.IsEmpty() && (span != l.Span.SpanID || trace.IsEmpty()):
		c[wrongIDs]++
		r.fault(source, "wrong ids %q and %q, not %q and %q: %q", trace, span, l.Span.TraceID, l.Span.SpanID, shorten(l.Text, 120))
	case !trace.IsEmpty():
		c[keptTrace]++
		c.countIf(keptSpan, !span.IsEmpty())
		c.countIf(keptStates, !span.IsEmpty() && statesSpan(l))
	}
}
