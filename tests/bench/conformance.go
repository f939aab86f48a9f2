package main

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// judgedLater is the longest after which whole.yaml's window has all traces of a
// slice judged: the window, an eighth of it between looks, and some to do it.
const judgedLater = 1500 * time.Millisecond

// judgedLoads are what the systems send, of each signal, for pipelines with and
// without a look at how well it conforms. Traces are whole.
func judgedLoads(attributes int) (loads []load, err error) {
	traces := traceLoad("traces", attributes)
	traces.request, err = ptraceotlp.NewExportRequestFromTraces(newWholeTraces(attributes)).MarshalProto()
	if err != nil {
		return nil, err
	}
	metrics, err := newLoad("metrics", attributes)
	if err != nil {
		return nil, err
	}
	logs, err := newLogLoad(attributes, asSent)
	if err != nil {
		return nil, err
	}
	for _, l := range []otlpLoad{traces, metrics, logs} {
		l.variant = judged
		loads = append(loads, l)
	}
	traces.variant, traces.later = judgedWhole, judgedLater
	return append(loads, traces), nil
}

// newWholeTraces are the spans of newLinks of which a tenth has a key. Each trace has
// one root, and each other span its parent.
func newWholeTraces(attributes int) ptrace.Traces {
	td := newLinks(attributes, keyedPairs[tenthKeyed])
	traces := map[pcommon.TraceID][]ptrace.Span{}
	for _, rs := range td.ResourceSpans().All() {
		for _, span := range rs.ScopeSpans().At(0).Spans().All() {
			traces[span.TraceID()] = append(traces[span.TraceID()], span)
		}
	}
	for _, spans := range traces {
		// Parents end last, so they come later in a batch.
		for i, span := range spans[:len(spans)-1] {
			span.SetParentSpanID(spans[(i+len(spans))/2].SpanID())
		}
		spans[len(spans)-1].SetParentSpanID(pcommon.SpanID{})
	}
	return td
}
