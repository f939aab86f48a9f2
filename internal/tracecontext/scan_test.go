// SPDX-License-Identifier: Apache-2.0

package tracecontext

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// scanned returns the ids that a text alone states.
func scanned(keys *Keys, text string) string {
	var e Evidence
	keys.Scan(text, &e)
	var d Decision
	d.Consider(&e, All, SourceText)
	if d.Conflict {
		return conflict
	}
	return show(idsOf(&d))
}

func TestScan(t *testing.T) {
	keys := NewKeys(nil, false)
	f := func(text, want string) {
		t.Helper()
		assert.Equal(t, want, scanned(keys, text), text)
	}
	const both = traceA + " " + spanA

	// The four supported systems.
	f("2026-11-21T10:00:00.000000000+08:00 I tid=4100 store_daemon_service.cc:412 trace_id="+traceA+" span_id="+spanA+" ready", both)
	f("2026-11-21T10:00:00.000000000+08:00 I tid=4100 chunk.cc:97 trace_id="+zeros+" span_id="+zeros[:16]+" chunk", "")
	f("INFO 11-21 10:00:00 [grpc-worker-1] trace_id="+traceA+" span_id="+spanA+" handler.py:141: granted", both)
	f("INFO 11-21 10:00:00 [grpc-worker-1] trace_id=- span_id=- handler.py:141: granted", "")
	const fastDeploy = "INFO     2026-11-21 10:00:00,000 3100  trace_logger.py[line:42] "
	f(fastDeploy+"[otel_trace_id="+traceA+"] [otel_span_id="+spanA+"] [thread=139800761354276] [request_id=cmpl-1] [trace_id="+traceA+"] ", both)
	f(fastDeploy+"[otel_trace_id=0] [otel_span_id=0] [stage=DECODE] [trace_id="+traceA+"] ", traceA)
	f(fastDeploy+"[otel_trace_id="+traceA+"] [otel_span_id="+spanA+"] [trace_id=unknown] ", both)
	f(fastDeploy+"[otel_trace_id=0] [otel_span_id=0] [trace_id=unknown] ", "")
	f(fastDeploy+"[otel_trace_id="+traceB+"] [otel_span_id="+spanB+"] [trace_id="+traceA+"] ", conflict)
	f("2026-11-21 10:00:00,000 INFO [tuft] [m.py:86] [trace_id="+traceA+" span_id="+spanA+" resource.service.name=tuft trace_sampled=True] - queued", both+" 01")

	// Forms.
	f("level=info trace_id="+traceA+" span_id="+spanA+" trace_flags=01 msg=x", both+" 01")
	f("time:2026\ttrace_id:"+traceA+"\tspan_id:"+spanA+"\tmsg:x", both)
	f(`<165>1 2026-11-21T10:00:00Z host app 1 ID47 [opentelemetry trace_id="`+traceA+`" span_id="`+spanA+`"] text`, both)
	f("traceId="+traceA+", spanId="+spanA, both)
	f("TraceId: "+traceA+" SpanId: "+spanA, both)
	f("trace-id="+strings.ToUpper(traceA)+" span-id="+spanA, both)
	f("{'trace_id': '"+traceA+"', 'span_id' : '"+spanA+"'}", both)
	f("[dd.service=web dd.trace_id=5060571933882717101 dd.span_id=1 ] served", padded+" 0000000000000001")
	f("dd.trace_id=42 dd.span_id=7", "0000000000000000000000000000002a 0000000000000007")
	f("trace_id = "+traceA+".", traceA)
	f("("+"trace_id="+traceA+")", traceA)
	f("trace_id="+traceA+",span_id="+spanA, both)
	f("trace_id="+half, padded)
	f("traceparent: 00-"+traceA+"-"+spanA+"-01", traceA+" 01")
	f(`headers={"traceparent":"00-`+traceA+"-"+spanA+`-01"}`, traceA+" 01")
	f("X-Amzn-Trace-Id: Root=1-4bf92f35-77b34da6a3ce929d0e0e4736;Parent="+spanA+";Sampled=1", traceA+" 01")
	f("calling with Root=1-4bf92f35-77b34da6a3ce929d0e0e4736 now", traceA)
	f("uber-trace-id: "+traceA+":"+spanA+":0:1 sent", traceA+" 01")
	f("x-cloud-trace-context: "+traceA+"/1;o=1", traceA+" 01")

	// Short keys, and words that end in the same bytes.
	f("@tr="+traceA+" @sp="+spanA, both)
	f(`at 13:23 "@tr":"`+traceA+`" '@sp' : '`+spanA+"'", both)
	f("b3="+traceA+"-"+spanA+"-1", traceA+" 01")
	f("http: b3: "+traceA+"-"+spanA+"-0, 13:13", traceA+" 00")
	f("attr="+traceA+" http:"+traceA+" sp="+spanA+" 3="+traceA+" ab3:"+traceA+"-"+spanA, "")

	// Spring's brackets.
	f("2026-11-21 INFO [orders,"+traceA+","+spanA+"] 1 --- [main] o.s.Web", both)
	f("INFO [orders,"+half+","+spanA+",true] 1", padded+" "+spanA+" 01")
	f("INFO [orders,"+traceA+","+spanA+",false] 1", both+" 00")
	f("INFO [,"+traceA+","+spanA+"]", both)
	f("INFO 1 --- [orders] [main] ["+traceA+"-"+spanA+"] o.s.Web", both)
	f("INFO 1 --- ["+half+"-"+spanA+"]", padded+" "+spanA)
	f("INFO [orders,,] 1", "")
	f("INFO [orders,"+traceA+","+spanA+",maybe] 1", "")
	f("INFO [orders,"+traceA+","+spanA+",true,x] 1", "")
	f("INFO [orders,"+traceA+","+spanA+"x]", "")
	f("INFO [orders,"+traceA+","+spanA, "")
	f("INFO ["+traceA+"_"+spanA+"]", "")
	f("INFO ["+traceA+"-"+zeros[:16]+"]", "")

	// Keys with another meaning.
	f("parent_span_id="+spanA+" trace_id="+traceA, traceA)
	f("mytrace_id="+traceA, "")
	f("upstream_trace_id="+traceA, "")
	f("upstream.trace_id="+traceA, "")
	f("GET /traces?trace_id="+traceA+"&span_id="+spanA, "")
	f("trace_ids="+traceA, "")
	f("trace_id "+traceA, "")
	f("xtrace_id\"="+traceA, "")
	f("\"trace_id'="+traceA, "")
	f("id="+traceA+" [a,b,c]", "")
	f("= : [ ' \" =\" :' [[[", "")

	// Parts of longer words are not ids.
	f("trace_id="+traceA+"0", "")
	f("trace_id="+traceA+"x", "")
	f("trace_id="+traceA+"-1", "")
	f("trace_id=x"+traceA, "")
	f("trace_id="+half+"-9f64-13ad", "")
	f("trace_id="+half+"_1", "")
	f(`{"trace_id":"`+traceA, "")
	f(`{"trace_id":"`+half+`" "`, padded)
	f("dd.trace_id=15.25", "")
	f("dd.trace_id=-15", "")
	f(`"dd":{"trace_id":"1234567890123456","span_id":"1234567890123457"},"mess`, "")

	f(`"dd" : {"trace_id":"1234567890123456"},"mess`, "")
	f(`{"ctx":{"trace_id":"`+traceA+`","span_id":"`+spanA+`"},"mess`, both)
	f(`{"parent":{"trace_id":"`+traceA+`","span_id":"`+spanA+`"},"mess`, "")
	f(`{'links': {'x': 1, 'trace_id': '`+traceA+`'}}`, "")
	f(`parent: {trace_id=`+traceA+`}`, traceA)
	f(`:{ ":{ {trace_id=`+traceA+`}`, traceA)

	// Other mentions of ids.
	f("trace_id="+traceA+" span_id="+spanA+" asked by trace_id="+traceB, conflict)
	f("trace_id="+traceA+" span_id="+spanA+" asked by trace_id="+traceA, both)
	f("trace_id="+traceA+" span_id="+spanA+" then span_id="+spanB, conflict)
	f("trace_id=- span_id=- asked by trace_id="+traceB+" span_id="+spanB, "")
	f("trace_id="+zeros+" span_id="+zeros[:16]+" asked by trace_id="+traceB+" span_id="+spanB, "")
	f("trace_id="+traceA+" span_id=- then", traceA)
	f("trace_id= span_id="+spanA, "")
	f("span_id="+spanA, "")
	f("[orders,"+traceA+","+spanA+"] trace_id="+traceB, conflict)
}

// TestCustomKeysInTexts checks custom keys of any length, which come before built-in ones.
func TestCustomKeysInTexts(t *testing.T) {
	keys := NewKeys([]CustomKeys{
		{TraceID: "t", SpanID: "s"}, {TraceID: "rid"}, {TraceID: "request.trace", SpanID: "request.span", Encoding: UUID},
		{TraceID: "my key"}, {TraceID: "my trace_id"}, {TraceID: rootField, Encoding: Decimal},
	}, false)
	f := func(text, want string) {
		t.Helper()
		assert.Equal(t, want, scanned(keys, text), text)
	}
	f("t="+traceA+" s="+spanA, traceA+" "+spanA)
	f("at t:"+traceA, traceA)
	f("at="+traceA, "")
	f("[rid="+traceA+"]", traceA)
	f("grid="+traceA, "")
	f(`{"rid": "`+traceA+`", "mess`, traceA)
	f("rid = "+traceA, traceA)
	f("request.trace=4bf92f35-77b3-4da6-a3ce-929d0e0e4736 request.span="+spanA, traceA+" "+spanA)
	f("Root=7", "00000000000000000000000000000007")
	// A key with spaces in it is not found in a text.
	f("my key="+traceA, "")
	f("my trace_id="+traceA+" span_id="+spanA, traceA+" "+spanA)
}

// TestScanOfLongTexts checks that only the head and the tail are searched, and that ids at
// their borders are read to their end or not at all.
func TestScanOfLongTexts(t *testing.T) {
	keys := NewKeys(nil, false)
	mention := " trace_id=" + traceA + " "
	for _, where := range []struct {
		at   int
		want string
	}{
		{0, traceA}, {scanHead - 40, traceA}, {scanHead - 11, traceA}, {scanHead, ""}, {20000, ""},
		{30000 - scanTail - len(mention), ""}, {30000 - scanTail, traceA}, {30000 - len(mention), traceA},
	} {
		text := strings.Repeat("x", where.at) + mention + strings.Repeat("x", 30000-where.at-len(mention))
		assert.Equal(t, where.want, scanned(keys, text), where.at)
	}
	// The tail begins inside another key, a number's digits, or a bracket's name.
	for _, within := range []string{"parent_span_id", "upstream_trace_id"} {
		for cut := range len(within) {
			tail := within[cut:] + "=" + traceA
			text := strings.Repeat(" ", 9000) + within[:cut] + tail + strings.Repeat(" ", scanTail-len(tail))
			assert.Empty(t, scanned(keys, text), text[8990:9100])
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add("trace_id=" + traceA + " span_id=" + spanA)
	f.Add("[orders," + traceA + "," + spanA + ",true]")
	f.Add(`{"traceparent":"00-` + traceA + "-" + spanA + `-01","b3":"0"}`)
	f.Add("Root=1-4bf92f35-77b34da6a3ce929d0e0e4736;Parent=" + spanA)
	keys := NewKeys([]CustomKeys{{TraceID: "t", SpanID: "s", TraceFlags: "f", Encoding: Decimal}}, true)
	f.Fuzz(func(t *testing.T, text string) {
		first := scanned(keys, text)
		assert.Equal(t, first, scanned(keys, text))
		var e Evidence
		keys.JSON(text, &e)
	})
}
