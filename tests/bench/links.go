// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// keyedPairs is how many pairs of spans of a request share a key: one span puts a job into
// a queue and, in another trace, one gets it. With them a tenth of the spans have keys.
const keyedPairs = (itemsPerRequest + 10) / 20

// newLinks makes spans. In each request keyedPairs pairs of them share a key. Trace ids and keys are placeholders
// (placeholders.go). The first span of every other pair is in the request before.
func newLinks(attributes int) ptrace.Traces {
	td := ptrace.NewTraces()
	others := itemsPerRequest - 2*keyedPairs
	for s, src := range callSources {
		spans := src.appendTo(td)
		for n, i := s, 0; n < others; n, i = n+len(callSources), i+1 {
			span := newLinkSpan(spans, n, n-i%spansPerTrace*len(callSources))
			span.SetName(src.item(n, len(callSources)).Name)
			span.SetKind(ptrace.SpanKindClient)
			if i%2 == 0 {
				// Of a call, the server's span ends first.
				span.SetKind(ptrace.SpanKindServer)
				span.SetParentSpanID(spanID(n + len(callSources)))
			}
			src.fill(span.Attributes(), attributes, n)
		}
	}
	for s, src := range sources["jobs"] {
		spans := src.appendTo(td)
		for pair := range keyedPairs {
			n := others + pair*len(sources["jobs"]) + s
			span := newLinkSpan(spans, n, n-pair%spansPerTrace*len(sources["jobs"]))
			span.SetName(src.Items[0].Name)
			span.SetKind(ptrace.SpanKindProducer + ptrace.SpanKind(s))
			src.fill(span.Attributes(), attributes, pair)
		}
	}
	for _, rs := range td.ResourceSpans().All() {
		rs.Resource().Attributes().PutStr("deployment.environment.name", "production") // the rules' scope
	}
	return td
}

// newLinkSpan adds the nth span of a request. Its trace has the number of its first span.
func newLinkSpan(spans ptrace.SpanSlice, n, trace int) ptrace.Span {
	span := spans.AppendEmpty()
	span.SetTraceID(placeholderTrace(trace))
	span.SetSpanID(spanID(n))
	span.SetStartTimestamp(begun)
	span.SetEndTimestamp(ended)
	return span
}

// placeholderTrace is the id of the trace with a number less than itemsPerRequest.
func placeholderTrace(number int) pcommon.TraceID {
	id := pcommon.TraceID{0x5b}
	copy(id[8:], placeholder(number).bytes())
	return id
}

// putKey and getKey are the nth pair's key.
func putKey(pair int) string { return keyText(placeholder(itemsPerRequest + pair)) }

func getKey(pair int) string {
	m := placeholder(itemsPerRequest + pair)
	if pair%2 == 1 {
		m |= before
	}
	return keyText(m)
}

// keyText is as long as a UUID without dashes.
func keyText(m placeholder) string { return fmt.Sprintf("3f2504e04f8941d3%x", m.bytes()) }

// callSources are those of the systems of whose spans no built-in pack takes a key: of
// FastDeploy's they would, once the spans are named.
var callSources = []source{sources["spans"][0], sources["spans"][1], sources["spans"][3].without("rid", "bootstrap_room")}

// without is the source with labels in place of these attributes.
func (s source) without(keys ...string) source {
	attributes := slices.Clone(s.Attributes)
	for i, a := range attributes {
		if slices.Contains(keys, a.key) {
			attributes[i] = attribute{fmt.Sprint("k8s.label.", i), "serving"}
		}
	}
	s.Attributes = attributes
	return s
}

// judgedLater is the longest after which the conformance connector of profiles/gateway.yaml
// has judged all traces of a slice: the window, an eighth of it between looks, and some to do it.
const judgedLater = 1500 * time.Millisecond

// newWholeTraces returns the spans of newLinks, a tenth of them with keys. Each trace has one
// root, and each other span its parent.
func newWholeTraces(attributes int) ptrace.Traces {
	td := newLinks(attributes)
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
