// SPDX-License-Identifier: Apache-2.0

// Package attributes reads attributes by key.
package attributes

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

// Lookup returns the value of a string attribute. If the attribute is missing or has another type, ok is
// false.
func Lookup(attrs pcommon.Map, key string) (value string, ok bool) {
	v, ok := attrs.Get(key)
	if !ok || v.Type() != pcommon.ValueTypeStr {
		return "", false
	}
	return v.Str(), true
}

// Text returns the value of a string attribute, or an empty string.
func Text(attrs pcommon.Map, key string) string {
	value, _ := Lookup(attrs, key)
	return value
}

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
