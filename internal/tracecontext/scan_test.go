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
	return outcome(&d)
}

func TestScan(t *testing.T) {
	keys := NewKeys(nil, false)
	eachCase(t, "scan.txt", func(columns []string) {
		text := strings.Join(columns[1:], " | ")
		assert.Equal(t, columns[0], scanned(keys, text), text)
	})
	assert.Empty(t, scanned(keys, ""))
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
