package tests

import (
	"encoding/binary"
	"slices"
)

// Field tags of OTLP's protobuf messages, all of wire type 2: length, then content.
const (
	tagResourceSpans  = 1<<3 | 2 // ExportTraceServiceRequest.resource_spans
	tagScopeSpans     = 2<<3 | 2 // ResourceSpans.scope_spans
	tagSpans          = 2<<3 | 2 // ScopeSpans.spans
	tagSpanAttributes = 9<<3 | 2 // Span.attributes
	tagKey            = 1<<3 | 2 // KeyValue.key
	tagValue          = 2<<3 | 2 // KeyValue.value
	tagStringValue    = 1<<3 | 2 // AnyValue.string_value
	tagArrayValue     = 5<<3 | 2 // AnyValue.array_value
	tagArrayValues    = 1<<3 | 2 // ArrayValue.values
)

// nestedValues returns an export request of one span whose attribute is an array
// in an array and so on, depth times. It is written as bytes, because the pdata
// library's own marshaler recurses.
func nestedValues(depth int) []byte {
	var b backwards
	b.prepend(tagStringValue, 1, 'x')
	for range depth {
		b.wrap(tagArrayValues)
		b.wrap(tagArrayValue)
	}
	b.wrap(tagValue)
	b.prepend(tagKey, 1, 'k')
	b.wrap(tagSpanAttributes)
	b.wrap(tagSpans)
	b.wrap(tagScopeSpans)
	b.wrap(tagResourceSpans)
	slices.Reverse(b)
	return b
}

// backwards is a message built from its end, so that each length is known when
// it is written. It is in reverse order until the end.
type backwards []byte

// prepend puts raw bytes before what is there.
func (b *backwards) prepend(raw ...byte) {
	slices.Reverse(raw)
	*b = append(*b, raw...)
}

// wrap makes what is there the content of a field.
func (b *backwards) wrap(tag byte) {
	b.prepend(binary.AppendUvarint([]byte{tag}, uint64(len(*b)))...)
}
