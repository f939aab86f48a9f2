// SPDX-License-Identifier: Apache-2.0

package tracecontext

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestJSON(t *testing.T) {
	keys := NewKeys([]CustomKeys{{TraceID: "id", Encoding: UUID}}, false)
	f := func(text, want string) {
		t.Helper()
		var e Evidence
		assert.True(t, keys.JSON(text, &e), text)
		var d Decision
		for _, class := range []Class{Custom, Plain, Vendor, Parent} {
			d.Consider(&e, class, SourceBody)
		}
		got := show(idsOf(&d))
		if d.Conflict {
			got += conflict
		}
		assert.Equal(t, want, got, text)
	}
	const both = traceA + " " + spanA

	f(`{}`, "")
	f(` {"trace_id":"`+traceA+`","span_id":"`+spanA+`","trace_flags":"01"}`, both+" 01")
	f(`{"@t":"2026","@tr":"`+traceA+`","@sp":"`+spanA+`"}`, both)
	f(`{"trace.id":"`+traceA+`","transaction.id":"`+spanA+`"}`, both)
	f(`{"traceparent":"00-`+traceA+"-"+spanA+`-01"}`, traceA+" 01")
	f(`{"http.request.header.traceparent":["00-`+traceA+"-"+spanA+`-01"]}`, traceA+" 01")
	f(`{"http.request.header.traceparent":["00-`+traceA+"-"+spanA+`-01","x"]}`, "")
	f(`{"id":"4bf92f35-77b3-4da6-a3ce-929d0e0e4736"}`, traceA)
	f(`{"logging.googleapis.com/trace":"projects/p/traces/`+traceA+`","logging.googleapis.com/trace_sampled":true}`, traceA+" 01")

	// Objects inside the object, one level deep.
	f(`{"trace":{"id":"`+traceA+`"},"transaction":{"id":"`+spanB+`"},"span":{"id":"`+spanA+`"}}`, both)
	f(`{"ctx":{"trace_id":"`+traceA+`","span_id":"`+spanA+`"}}`, both)
	f(`{"dd":{"trace_id":"5060571933882717101","span_id":"1"}}`, padded+" 0000000000000001")
	f(`{"dd":{"trace_id":"1234567890123456"}}`, "00000000000000000004"+"62d53c8abac0")
	f(`{"a":{"b":{"trace_id":"`+traceA+`"}}}`, "")
	f(`{"a":[{"trace_id":"`+traceA+`"}]}`, "")
	f(`[{"trace_id":"`+traceA+`"}]`, "")
	f(`["trace_id=`+traceA+`"]`, "")
	f(`{"message":"trace_id=`+traceA+`"}`, "")

	// A span counts with the trace of its own object.
	f(`{"trace_id":"`+traceA+`","child":{"span_id":"`+spanA+`"}}`, traceA)
	f(`{"trace_id":"`+traceA+`","ctx":{"trace_id":"`+traceA+`","span_id":"`+spanA+`"}}`, both)
	f(`{"trace_id":"`+traceA+`","ctx":{"trace_id":"`+traceB+`"}}`, conflict)
	f(`{"trace_id":"","ctx":{"trace_id":"`+traceB+`"}}`, "")
	f(`{"trace_id":null,"traceId":"`+traceA+`"}`, traceA)
	f(`{"trace_id":"`+traceA+`","parentSpan":{"trace_id":"`+traceB+`","span_id":"`+spanB+`"}}`, traceA)
	f(`{"Links":{"trace_id":"`+traceB+`"}}`, "")
	f(`{"trace_id":{"x":1},"b3":{"x":1}}`, "")

	// Classes are trusted in their order in JSON as well.
	f(`{"dd.trace_id":"1","trace_id":"`+traceA+`","dd.span_id":"1"}`, traceA)
	f(`{"id":"`+traceA+`","trace_id":"`+traceA+`","span_id":"`+spanA+`"}`, both)
	f(`{"id":"`+traceA+`","trace_id":"`+traceB+`","span_id":"`+spanA+`"}`, traceA)

	// Numbers and booleans.
	f(`{"dd.trace_id":18446744073709551615,"dd.span_id":9007199254740993}`, "0000000000000000ffffffffffffffff 0020000000000001")
	f(`{"dd.trace_id":18446744073709551616}`, "")
	f(`{"dd.trace_id":-1}`, "")
	f(`{"dd.trace_id":1.5}`, "")
	f(`{"dd.trace_id":1e5}`, "")
	f(`{"trace_id":1234567812345678}`, "")
	f(`{"trace_id":true}`, "")
	f(`{"otelTraceID":"`+traceA+`","otelTraceSampled":false}`, traceA+" 00")
	f(`{"trace_id":"`+traceA+`","trace_flags":1}`, traceA+" 01")

	g := func(text string) {
		t.Helper()
		var e Evidence
		assert.False(t, keys.JSON(text, &e), text)
		assert.False(t, e.Any())
	}
	g("")
	g("  ")
	g(`{"trace_id":"` + traceA + `","mess`)
	g(`{"trace_id":"` + traceA + `"} and more`)
	g("[orders," + traceA + "]")
	g(`"trace_id"`)
}
