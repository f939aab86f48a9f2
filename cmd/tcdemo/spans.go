// SPDX-License-Identifier: Apache-2.0

package main

import "go.opentelemetry.io/collector/pdata/ptrace"

// receivedSpan is a span that came out, as far as links go.
type receivedSpan struct {
	spanRef
	links []receivedLink
}

// receivedLink is a link of a span that came out.
type receivedLink struct {
	to spanRef
	// rule is what it was derived by. Whatever has none was sent: the collector says it
	// of all its own.
	rule     string
	evidence string
	// forward says that the earlier span carries the link, not the later one.
	forward bool
}

func (l receivedLink) derived() bool { return l.rule != "" }

func newReceivedSpan(span ptrace.Span) receivedSpan {
	s := receivedSpan{spanRef: spanRef{span.TraceID().String(), span.SpanID().String()}}
	for _, link := range span.Links().All() {
		say := func(key string) string { return text(link.Attributes().Get(key)) }
		s.links = append(s.links, receivedLink{
			to:       spanRef{link.TraceID().String(), link.SpanID().String()},
			rule:     say("tc.link.rule"),
			evidence: say("tc.link.evidence"),
			forward:  say("tc.link.direction") == "forward",
		})
	}
	return s
}
