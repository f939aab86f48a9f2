// SPDX-License-Identifier: Apache-2.0

package main

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// judgedLater is the longest after which the conformance connector of profiles/gateway.yaml
// has judged all traces of a slice: the window, an eighth of it between looks, and some to do it.
const judgedLater = 1500 * time.Millisecond

func newWholeLoad(attributes int) (otlpLoad, error) {
	l := traceLoad(attributes)
	var err error
	l.request, err = ptraceotlp.NewExportRequestFromTraces(newWholeTraces(attributes)).MarshalProto()
	return l, err
}

// newWholeTraces returns the spans of newLinks, a tenth of them with keys. Each trace has one
// root, and each other span its parent.
func newWholeTraces(attributes int) ptrace.Traces {
	td := newLinks(attributes, keyedPairs)
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
