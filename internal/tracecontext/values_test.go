// SPDX-License-Identifier: Apache-2.0

package tracecontext

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestValues parses one value under one key: the ids that it holds, or the reason why it is
// rejected.
func TestValues(t *testing.T) {
	keys := NewKeys([]CustomKeys{
		{TraceID: "own.uuid", SpanID: "own.uuid.span", Encoding: UUID},
		{TraceID: "own.decimal", SpanID: "own.number", Encoding: Decimal},
		{TraceID: "own.hex", TraceFlags: "own.flags"},
	}, true)
	evidence := func(pairs ...string) (string, *Evidence) {
		var e Evidence
		for i := 0; i < len(pairs); i += 2 {
			e.AddText(keys.Find(pairs[i]), 0, pairs[i+1])
		}
		var d Decision
		d.Consider(&e, All, SourceAttribute)
		return show(idsOf(&d)), &e
	}
	f := func(key, value, want string) {
		t.Helper()
		got, e := evidence(key, value)
		for reason, n := range e.Rejected {
			if n > 0 {
				got = Reason(reason).String()
			}
		}
		assert.Equal(t, want, got, "%s=%q", key, value)
	}
	// span is f for a key that counts only together with a trace.
	span := func(traceKey, key, value, want string) {
		t.Helper()
		const one = "01000000000000000000000000000001"
		f(traceKey, one, one)
		got, e := evidence(traceKey, one, key, value)
		got = strings.TrimPrefix(got, one)
		for reason, n := range e.Rejected {
			if n > 0 {
				got += Reason(reason).String()
			}
		}
		assert.Equal(t, want, strings.TrimSpace(got), "%s=%q", key, value)
	}

	// Hexadecimal traces.
	f("trace_id", traceA, traceA)
	f("trace_id", strings.ToUpper(traceA), traceA)
	f("trace_id", half, padded)
	for _, nothing := range []string{"", " ", "0", "-", "null", "NULL", "None", "none", "nil", "<nil>", "n/a", "unknown", "undefined"} {
		f("trace_id", nothing, "placeholder")
		span("trace_id", "span_id", nothing, "placeholder")
		f("dd.trace_id", nothing, "placeholder")
		f("X-B3-TraceId", nothing, "placeholder")
		f("traceparent", nothing, "placeholder")
		f("xray_trace_id", nothing, "placeholder")
	}
	f("trace_id", zeros, "zero")
	f("trace_id", zeros[:16], "zero")
	f("trace_id", traceA[:31], "length")
	f("trace_id", traceA+"0", "length")
	f("trace_id", traceA[:24], "length")
	f("trace_id", "4bf92f35-77b3-4da6-a3ce-929d0e0e4736", "length")
	f("trace_id", "0x"+traceA[:30], "not_hex")
	f("trace_id", traceA[:31]+"g", "not_hex")
	f("trace_id", "g"+traceA[1:], "not_hex")
	f("trace_id", traceA[:31]+"\xff", "not_hex")
	f("trace_id", half[:15]+"/", "not_hex")
	f("trace_id", half[:15]+":", "not_hex")
	f("trace_id", half[:15]+"@", "not_hex")
	f("trace_id", half[:15]+"`", "not_hex")
	span("trace_id", "span_id", spanA, spanA)
	span("trace_id", "span_id", strings.ToUpper(spanA), spanA)
	span("trace_id", "span_id", traceA, "length")
	span("trace_id", "span_id", spanA[:15], "length")
	span("trace_id", "span_id", spanA[:15]+"G", "not_hex")
	span("trace_id", "span_id", zeros[:16], "zero")

	// Custom keys.
	f("own.uuid", "4bf92f35-77b3-4da6-a3ce-929d0e0e4736", traceA)
	f("own.uuid", traceA, traceA)
	f("own.uuid", "4bf92f35-77b3-4da6-a3ce_929d0e0e4736", "length")
	f("own.uuid", "4bf92f35-77b3-4da6-a3ce-929d0e0e473x", "not_hex")
	f("own.uuid", "00000000-0000-0000-0000-000000000000", "zero")
	span("own.uuid", "own.uuid.span", spanA, spanA)
	f("own.decimal", "5060571933882717101", padded)
	f("own.decimal", traceA, "not_decimal")
	f("own.decimal", "123456789012345678901", "length")

	f("own.hex", traceA, traceA)

	// Decimals.
	f("dd.trace_id", "1", "00000000000000000000000000000001")
	f("dd.trace_id", "9223372036854775808", "00000000000000008000000000000000")
	f("dd.trace_id", "18446744073709551615", "0000000000000000ffffffffffffffff")
	f("dd.trace_id", "18446744073709551616", "length")
	f("dd.trace_id", "99999999999999999999", "length")
	f("dd.trace_id", "-5", "not_decimal")
	f("dd.trace_id", "+5", "not_decimal")
	f("dd.trace_id", "5.0", "not_decimal")
	f("dd.trace_id", "5e3", "not_decimal")
	f("dd.trace_id", half, "not_decimal")
	f("dd.trace_id", "00", "zero")
	f("dd.trace_id", traceA, traceA)
	span("dd.trace_id", "dd.span_id", spanB, "not_decimal")
	span("dd.trace_id", "dd.span_id", "255", "00000000000000ff")

	// Trimmed zeros.
	f("X-B3-TraceId", "1", "00000000000000000000000000000001")
	f("X-B3-TraceId", "80f198ee56343ba864fe8b2a57d3eff7", "80f198ee56343ba864fe8b2a57d3eff7")
	f("X-B3-TraceId", "0f198ee56343ba864fe8b2a57d3eff7", "00f198ee56343ba864fe8b2a57d3eff7")
	f("X-B3-TraceId", traceA+"0", "length")
	f("X-B3-TraceId", "00", "zero")
	f("X-B3-TraceId", "1g", "not_hex")
	span("X-B3-TraceId", "X-B3-SpanId", "f", "000000000000000f")
	span("X-B3-TraceId", "X-B3-SpanId", spanA+"0", "length")

	// traceparent.
	f("traceparent", "00-"+traceA+"-"+spanA+"-01", traceA+" "+spanA+" 01")
	f("traceparent", strings.ToUpper("00-"+traceA+"-"+spanA+"-0a"), traceA+" "+spanA+" 0a")
	f("traceparent", "00-"+traceA+"-"+spanA+"-01-", "length")
	f("traceparent", "00-"+traceA+"-"+spanA+"-1", "length")
	f("traceparent", "00-"+traceA+"-"+spanA+"-0x", "not_hex")
	f("traceparent", "00-"+traceA+"_"+spanA+"-01", "length")
	f("traceparent", "00-"+zeros+"-"+spanA+"-01", "zero")
	f("traceparent", "00-"+traceA+"-"+zeros[:16]+"-01", "zero")
	f("traceparent", "ff-"+traceA+"-"+spanA+"-01", "version")
	f("traceparent", "0g-"+traceA+"-"+spanA+"-01", "not_hex")
	f("traceparent", "cc-"+traceA+"-"+spanA+"-01", traceA+" "+spanA+" 01")
	f("traceparent", "cc-"+traceA+"-"+spanA+"-01-new", traceA+" "+spanA+" 01")
	f("traceparent", "cc-"+traceA+"-"+spanA+"-01.new", "length")

	// The other headers.
	f("b3", traceA+"-"+spanA, traceA+" "+spanA)
	f("b3", half+"-"+spanA+"-1-"+spanB, padded+" "+spanA+" 01")
	f("b3", traceA+"-"+spanA+"-d", traceA+" "+spanA+" 01")
	f("b3", traceA+"-"+spanA+"-0", traceA+" "+spanA+" 00")
	f("b3", "0", "placeholder")
	f("b3", "1", "length")
	f("b3", traceA+"-", "placeholder")
	f("uber-trace-id", traceA+":"+spanA+":0:1", traceA+" "+spanA+" 01")
	f("uber-trace-id", "3ac35c9f6413ad:67aa0ba902b7:"+spanB+":3", "0000000000000000003ac35c9f6413ad 000067aa0ba902b7 01")
	f("uber-trace-id", traceA+"%3A"+spanA+"%3a0%3A0", traceA+" "+spanA+" 00")
	f("uber-trace-id", traceA+":"+spanA, "length")
	f("uber-trace-id", "0:0:0:0", "placeholder")
	f("uber-trace-id", traceA+"%3B"+spanA+":0:1", "length")
	f("X-Cloud-Trace-Context", traceA, traceA)
	f("X-Cloud-Trace-Context", traceA+"/18446744073709551615;o=1", traceA+" ffffffffffffffff 01")
	f("X-Cloud-Trace-Context", traceA+"/0;o=0", traceA+" 00")
	f("X-Cloud-Trace-Context", half+"/1", "length")
	f("X-Amzn-Trace-Id", "Root=1-4bf92f35-77b34da6a3ce929d0e0e4736", traceA)
	f("X-Amzn-Trace-Id", "Root=1-4bf92f35-77b34da6a3ce929d0e0e4736;Parent="+spanA+";Sampled=1", traceA+" "+spanA+" 01")
	f("X-Amzn-Trace-Id", "Self=1-67891234-12456789abcdef012345678a; Root=1-4bf92f35-77b34da6a3ce929d0e0e4736;", traceA)
	f("X-Amzn-Trace-Id", "Parent="+spanA+";Sampled=1", "length")
	f("X-Amzn-Trace-Id", "Root=2-4bf92f35-77b34da6a3ce929d0e0e4736", "length")
	f("X-Amzn-Trace-Id", "Root=1-4bf92f35-77b34da6a3ce929d0e0e473x", "not_hex")
	f("xray_trace_id", "1-4bf92f35-77b34da6a3ce929d0e0e4736", traceA)
	f("logging.googleapis.com/trace", "projects/p/traces/", "placeholder")
	f("logging.googleapis.com/trace", "projects/p", "length")
}

// TestCallersSpans checks that headers have no span without the setting, and keep their trace.
func TestCallersSpans(t *testing.T) {
	keys := NewKeys(nil, false)
	for key, value := range map[string]string{
		"traceparent": "00-" + traceA + "-" + spanA + "-01", "http.request.header.traceparent": "00-" + traceA + "-" + spanA + "-01",
		"b3": traceA + "-" + spanA + "-1", "http.request.header.b3": traceA + "-" + spanA + "-1",
		"uber-trace-id": traceA + ":" + spanA + ":0:1", "http.request.header.uber-trace-id": traceA + ":" + spanA + ":0:1",
		"x-cloud-trace-context": traceA + "/1;o=1", "http.request.header.x-cloud-trace-context": traceA + "/1;o=1",
		"x-amzn-trace-id":                     "Root=1-4bf92f35-77b34da6a3ce929d0e0e4736;Parent=" + spanA + ";Sampled=1",
		"http.request.header.x-amzn-trace-id": "Root=1-4bf92f35-77b34da6a3ce929d0e0e4736;Parent=" + spanA + ";Sampled=1",
	} {
		var e Evidence
		e.AddText(keys.Find(key), 0, value)
		var d Decision
		d.Consider(&e, All, SourceVendor)
		assert.Equal(t, traceA+" 01", show(idsOf(&d)), key)
	}
	var e Evidence
	e.AddText(keys.Find("http.request.header.x-b3-traceid"), 0, traceA)
	e.AddText(keys.Find("http.request.header.x-b3-spanid"), 0, spanA)
	var d Decision
	d.Consider(&e, All, SourceVendor)
	assert.Equal(t, traceA, show(idsOf(&d)))
}

func TestNumbers(t *testing.T) {
	keys := NewKeys(nil, false)
	f := func(key, digits, want string) {
		t.Helper()
		var e Evidence
		e.AddText(keys.Find("trace_id"), 0, traceA)
		e.AddScalar(keys.Find(key), 0, digits)
		var d Decision
		d.Consider(&e, keys.Find(key).class, SourceAttribute)
		assert.Equal(t, want, show(idsOf(&d)), key)
	}
	f("dd.trace_id", "5060571933882717101", padded)
	f("dd.trace_id", "0", "")
	f("trace_flags", "1", traceA+" 01")
	f("trace_flags", "769", traceA+" 01")
	f("trace_sampled", "1", traceA+" 01")
	f("trace_sampled", "7", traceA)
	f("span_id", "1234567812345678", traceA)
}
