// Package spanfacts reads from a span what the decision on its name asks for.
package spanfacts

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
)

// Of returns the facts that were asked for.
func Of(span ptrace.Span, asks naming.Asks) (facts naming.Facts) {
	if asks == (naming.Asks{}) {
		return facts
	}
	attrs := span.Attributes()
	facts.Attribute = attributes.Text(attrs, asks.Attribute)
	if asks.Convention {
		client := span.Kind() == ptrace.SpanKindClient
		for key := range attrs.All() {
			if naming.ConventionKey(key, client) {
				facts.Convention = true
				break
			}
		}
	}
	return facts
}
