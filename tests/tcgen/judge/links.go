// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// Link is a link that the collector derived.
type Link struct {
	Earlier, Later scenario.SpanRef
	Rule           string
	Evidence       string
	Forward        bool // the earlier span carries the link
}

// DerivedLinks returns the links that the collector added to a span. A link without a rule was sent.
func DerivedLinks(span ptrace.Span) (all []Link) {
	for _, link := range span.Links().All() {
		if LinkRule(link) == "" {
			continue
		}
		l := Link{
			Earlier:  scenario.SpanRef{TraceID: link.TraceID(), SpanID: link.SpanID()},
			Later:    scenario.SpanRef{TraceID: span.TraceID(), SpanID: span.SpanID()},
			Rule:     LinkRule(link),
			Evidence: Text(link.Attributes(), "tc.link.evidence"),
			Forward:  Text(link.Attributes(), "tc.link.direction") == "forward",
		}
		if l.Forward {
			l.Earlier, l.Later = l.Later, l.Earlier
		}
		all = append(all, l)
	}
	return all
}

// LinkRule returns the rule by which the collector derived a link, "" when it did not.
func LinkRule(link ptrace.SpanLink) string { return Text(link.Attributes(), "tc.link.rule") }

// Text returns an attribute as text, or nothing.
func Text(attributes pcommon.Map, key string) string {
	value, ok := attributes.Get(key)
	if !ok {
		return ""
	}
	return value.AsString()
}
