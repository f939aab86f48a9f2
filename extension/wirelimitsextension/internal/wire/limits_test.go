// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"

	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// nested returns a log record whose body is a list in a list, or a map in a map.
func nested(t *testing.T, levels int, list bool) (proto, json []byte) {
	t.Helper()
	ld := plog.NewLogs()
	value := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body()
	for range levels {
		if list {
			value = value.SetEmptySlice().AppendEmpty()
		} else {
			value = value.SetEmptyMap().PutEmpty("k")
		}
	}
	value.SetStr("innermost")
	request := plogotlp.NewExportRequestFromLogs(ld)
	proto, err := request.MarshalProto()
	require.NoError(t, err)
	json, err = request.MarshalJSON()
	require.NoError(t, err)
	return proto, json
}

func TestDepth(t *testing.T) {
	f := func(levels int, list bool, limit int, want Rule) {
		t.Helper()
		limits := Limits{Depth: limit, Size: math.MaxInt}
		proto, json := nested(t, levels, list)
		for _, chunk := range []int{1, 100, math.MaxInt} {
			assert.Equal(t, want, feed(NewProtobuf(Logs, limits), proto, chunk))
			assert.Equal(t, want, feed(NewJSON(limits), json, chunk))
		}
	}
	// The request, resource, scope, record and body are 5 levels.
	f(0, true, 5, None)
	f(0, true, 4, TooDeep)
	f(97, true, 199, None)
	f(97, true, 198, TooDeep)
	f(65, false, 200, None)
	f(66, false, 200, TooDeep)
	f(1000, true, 200, TooDeep)
}

// emptySpans returns a request of n empty spans.
func emptySpans(n int) []byte {
	wrap := func(field byte, content []byte) []byte {
		return append(binary.AppendUvarint([]byte{field<<3 | byte(typeLength)}, uint64(len(content))), content...)
	}
	return wrap(1, wrap(2, bytes.Repeat(wrap(2, nil), n)))
}

func TestSize(t *testing.T) {
	empty := emptySpans(1000)
	atLeast := len(empty) + 1000*weights[span]
	for _, chunk := range []int{1, 3, math.MaxInt} {
		limits := Limits{Depth: 200, Size: atLeast + weights[scopeSpans] + weights[resourceSpans]}
		assert.Equal(t, None, feed(NewProtobuf(Traces, limits), empty, chunk))
		limits.Size--
		assert.Equal(t, TooLarge, feed(NewProtobuf(Traces, limits), empty, chunk))
	}

	// A string counts with its length, even before its end was received.
	text := oneText(t, 1000)
	assert.Equal(t, TooLarge, NewProtobuf(Logs, Limits{Depth: 200, Size: 900}).Check(text[:950]))
	assert.Equal(t, None, NewProtobuf(Logs, Limits{Depth: 200, Size: 2000}).Check(text))
}

func oneText(t *testing.T, size int) []byte {
	t.Helper()
	ld := plog.NewLogs()
	ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().
		Body().FromRaw(strings.Repeat("x", size)) //nolint:errcheck // a string is a value
	body, err := plogotlp.NewExportRequestFromLogs(ld).MarshalProto()
	require.NoError(t, err)
	return body
}

// pdata continues after each of these, and decodes a million spans before it returns an error.
func TestHostileJSON(t *testing.T) {
	limits := Limits{Depth: 200, Size: 32 << 20}
	f := func(element string, want Rule) {
		t.Helper()
		body := `{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Repeat(element, 4<<20/len(element))
		assert.Equal(t, want, feed(NewJSON(limits), []byte(body), math.MaxInt), element)
		// In small chunks, another limit may be exceeded first.
		assert.NotEqual(t, None, feed(NewJSON(limits), []byte(body), 512), element)
	}
	f("1,", TooLarge)
	f(",,", TooLarge)
	f("{},", TooLarge)
	f("},", TooLarge)
	f("null,", TooLarge)
	f("[[", TooLarge)
	f(`"{},{},{},{},`, TooLarge)
	f("x", NotJSON)
	f("]}]}]}"+strings.Repeat("1,", 1000), TooLarge) // after the end
}

func TestNotJSON(t *testing.T) {
	f := func(body string, want Rule) {
		t.Helper()
		for _, chunk := range []int{1, math.MaxInt} {
			assert.Equal(t, want, feed(NewJSON(unlimited), []byte(body), chunk), body)
		}
	}
	f(`{}`, None)
	f(` { "a" : [ 1 , -2.5e+3 , true , null , "\\" , "\"{[" , {} , [] ] } `, None)
	f(`{} what follows is not read`, None)
	f(`{"resourceSpans":[`, None) // pdata reports the early end
	f(`{"a":,}`, NotJSON)
	f(`{"a":[}`, NotJSON)
	f(`{"a":[1}`, NotJSON)
	f(`{,"a":1}`, NotJSON)
	f(`]`, NotJSON)
	f(`{"a":resourceSpans}`, NotJSON)
}

// Once a request is refused, more bytes change nothing.
func TestRefusedStaysRefused(t *testing.T) {
	limits := Limits{Depth: 200, Size: 1000}
	for _, c := range []Checker{NewProtobuf(Traces, limits), NewJSON(limits)} {
		body := bytes.Repeat([]byte("{},"), 1000)
		if _, ok := c.(*Protobuf); ok {
			body = emptySpans(1000)
		} else {
			body = append([]byte(`{"resourceSpans":[`), body...)
		}
		require.Equal(t, TooLarge, c.Check(body))
		assert.Equal(t, TooLarge, c.Check([]byte("anything")))
		assert.Equal(t, TooLarge, c.Check(nil))
	}
}

var notUTF8 = []string{"\xff", "a\xffb", "\xe2\x82", "\xe2\x82b", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80", "\x80", "ä\xc3"}

func TestJSONIsUTF8(t *testing.T) {
	f := func(text string, want Rule) {
		t.Helper()
		for _, chunk := range []int{1, 2, math.MaxInt} {
			assert.Equal(t, want, feed(NewJSON(unlimited), []byte(`{"a":"`+text+`"}`), chunk), "%q", text)
		}
	}
	for _, text := range notUTF8 {
		f(text, NotUTF8)
	}
	f("äöü€😀", None)
	f(`\ud800`, None) // pdata replaces it by U+FFFD
}

// A body of the shortest meaningful items may have the maximum length.
func TestFullBodiesPass(t *testing.T) {
	const bodyLimit = 4 << 20
	limits := Limits{Depth: 200, Size: 8 * bodyLimit}
	for _, c := range testfiles.Cases[struct{ Name, Signal, Item, Request string }](t, "testdata/full.yaml") {
		s := signals[slices.IndexFunc(signals, func(s signal) bool { return s.name == c.Signal })]
		for _, marshal := range []func(decoded) ([]byte, error){decoded.MarshalProto, decoded.MarshalJSON} {
			write := func(items int) []byte {
				request, err := s.fromJSON([]byte(strings.Replace(c.Request, "ITEMS", strings.Repeat(c.Item+",", items-1)+c.Item, 1)))
				require.NoError(t, err)
				body, err := marshal(request)
				require.NoError(t, err)
				return body
			}
			body := write(1000 * bodyLimit / len(write(1000)))
			require.InDelta(t, bodyLimit, len(body), bodyLimit/50)
			check := NewProtobuf(s.signal, limits).Check
			if body[0] == '{' {
				check = NewJSON(limits).Check
			}
			assert.Equal(t, None, check(body), c.Name)
		}
	}
}
