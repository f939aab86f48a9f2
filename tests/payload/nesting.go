// SPDX-License-Identifier: Apache-2.0

package payload

import (
	"encoding/binary"
	"slices"
)

// Field tags of OTLP's protobuf messages, all of wire type 2: length, then content.
const (
	TagResourceSpans  = 1<<3 | 2 // ExportTraceServiceRequest.resource_spans
	TagScopeSpans     = 2<<3 | 2 // ResourceSpans.scope_spans
	TagSpans          = 2<<3 | 2 // ScopeSpans.spans
	tagSpanAttributes = 9<<3 | 2 // Span.attributes
	tagKey            = 1<<3 | 2 // KeyValue.key
	tagValue          = 2<<3 | 2 // KeyValue.value
	tagStringValue    = 1<<3 | 2 // AnyValue.string_value
	tagArrayValue     = 5<<3 | 2 // AnyValue.array_value
	tagArrayValues    = 1<<3 | 2 // ArrayValue.values
)

// NestedValues returns an export request of one span whose attribute is an array
// in an array and so on, depth times. It is written as bytes, because the pdata
// library's own marshaler recurses.
func NestedValues(depth int) []byte {
	var b Backwards
	b.Prepend(tagStringValue, 1, 'x')
	for range depth {
		b.Wrap(tagArrayValues)
		b.Wrap(tagArrayValue)
	}
	b.Wrap(tagValue)
	b.Prepend(tagKey, 1, 'k')
	b.Wrap(tagSpanAttributes)
	b.Wrap(TagSpans)
	b.Wrap(TagScopeSpans)
	b.Wrap(TagResourceSpans)
	slices.Reverse(b)
	return b
}

// Backwards is a message built from its end, so that each length is known when
// it is written. It is in reverse order until the end.
type Backwards []byte

// Prepend puts raw bytes before what is there.
func (b *Backwards) Prepend(raw ...byte) {
	slices.Reverse(raw)
	*b = append(*b, raw...)
}

// Wrap makes what is there the content of a field.
func (b *Backwards) Wrap(tag byte) {
	b.Prepend(binary.AppendUvarint([]byte{tag}, uint64(len(*b)))...)
}
