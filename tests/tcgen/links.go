// SPDX-License-Identifier: Apache-2.0

package tcgen

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// The attributes of derived links.
const (
	LinkRuleKey      = "tc.link.rule"
	LinkEvidenceKey  = "tc.link.evidence"
	LinkDirectionKey = "tc.link.direction"
	linkRefTypeKey   = "opentracing.ref_type"
)

// LinkText returns an attribute of a link, "" when it has none.
func LinkText(link ptrace.SpanLink, key string) string {
	value, ok := link.Attributes().Get(key)
	if !ok {
		return ""
	}
	return value.AsString()
}

// WithoutDerived returns a copy of spans as they were before the collector linked them.
func WithoutDerived(traces ptrace.Traces) ptrace.Traces {
	plain := ptrace.NewTraces()
	traces.CopyTo(plain)
	for span := range collectortest.SpansOf(plain) {
		span.Links().RemoveIf(func(link ptrace.SpanLink) bool { return LinkText(link, LinkRuleKey) != "" })
	}
	return plain
}
