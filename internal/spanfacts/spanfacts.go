// Package spanfacts reads from a span what the decision on its name asks for.
package spanfacts

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
)

// Of returns the facts that were asked for.
func Of(span ptrace.Span, asks naming.Asks) naming.Facts {
	if asks == (naming.Asks{}) {
		return naming.Facts{} // for most spans
	}
	return read(span, asks)
}

func read(span ptrace.Span, asks naming.Asks) naming.Facts {
	attrs := span.Attributes()
	facts := naming.Facts{Attribute: attributes.Text(attrs, asks.Attribute)}
	if !asks.Convention {
		return facts
	}
	for _, key := range naming.ConventionKeys(span.Kind() == ptrace.SpanKindClient) {
		if _, ok := attrs.Get(key); ok {
			facts.Convention = true
			break
		}
	}
	return facts
}
