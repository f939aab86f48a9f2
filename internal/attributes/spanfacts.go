// SPDX-License-Identifier: Apache-2.0

package attributes

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// SpanFacts returns what the decision on a span's name asks for.
func SpanFacts(span ptrace.Span, asks naming.Asks) naming.Facts {
	if asks == (naming.Asks{}) {
		return naming.Facts{} // for most spans
	}
	attrs := span.Attributes()
	return naming.Facts{
		Attribute:  Text(attrs, asks.Attribute),
		Convention: asks.Convention && follows(attrs, span.Kind() == ptrace.SpanKindClient),
	}
}

// follows reports whether an attribute is a naming.ConventionKey.
func follows(attrs pcommon.Map, client bool) (found bool) {
	for key := range attrs.All() {
		found = found || naming.ConventionKey(key, client)
	}
	return found
}
