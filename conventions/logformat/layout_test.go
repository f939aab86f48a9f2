// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// of returns a format that consists of layouts only.
func of(t testing.TB, layouts ...string) *Format {
	t.Helper()
	format, err := newFormat("test", conventions.LogFormat{Lines: layouts})
	require.NoError(t, err)
	return format
}

func text(key, value string) Attribute     { return Attribute{Key: key, Text: value} }
func number(key string, n int64) Attribute { return Attribute{Key: key, Kind: KindInt, Int: n} }

func TestLayout(t *testing.T) {
	f := func(layout, line string, want Entry) {
		t.Helper()
		var got Entry
		require.True(t, of(t, layout).match(line, &got), line)
		assert.Equal(t, want.IDs, append([]Field(nil), got.IDs...))
		assert.Equal(t, want.Resource, append([]Field(nil), got.Resource...))
		assert.Equal(t, want.Attributes, append([]Attribute(nil), got.Attributes...))
		assert.Equal(t, want.Body, got.Body)
		assert.Equal(t, want.SeverityText, got.SeverityText)
	}
	none := func(layout string, lines ...string) {
		t.Helper()
		for _, line := range lines {
			assert.False(t, of(t, layout).match(line, nil), line)
			assert.False(t, of(t, layout).match(line, &Entry{}), line)
		}
	}
	attributes := func(a ...Attribute) []Attribute { return a }

	const simple = "{severity} [{a}] {n:int} {body}"
	want := Entry{SeverityText: "WARN", Body: "b [c]", Attributes: attributes(text("a", "x y"), number("n", -7))}
	f(simple, "WARN [x y] -7 b [c]", want)
	f(simple, "WARN     [x y]   -7  b [c]", want)
	want.Body = ""
	f(simple, "WARN [x y] -7 ", want)
	f(simple, "WARN [x y] -7", want)
	none(simple, "", " WARN [x] 7 b", "WARN[x] 7 b", "WARN [] 7 b", "WARN [x]7 b", "WARN [x] 7b", "WARN [x] x b", "WARN [x] - b",
		"WARN [x] 9223372036854775808 b", "WARN [x", "WARN [x]", "WARN ", "WARN", "FOO [x] 7 b", "W4RN [x] 7 b", "\nWARN [x] 7 b")

	// A text ends at the first occurrence of the literal after it. It is never empty.
	f("{severity} {a} - {b}", "I x -y - z - w", Entry{SeverityText: "I", Attributes: attributes(text("a", "x -y"), text("b", "z - w"))})
	f("{severity} {a}  -  {b}", "I x   -y -   z", Entry{SeverityText: "I", Attributes: attributes(text("a", "x   -y"), text("b", "z"))})
	none("{severity} {a} - {b}", "I x", "I x - ", "I x -", "I - y")
	f("{severity} {}:{a};", "I skipped:é;  ", Entry{SeverityText: "I", Attributes: attributes(text("a", "é"))})
	none("{severity} {}:{a};", "I x:y;z", "I x:y")
	// A body before the end does as well: the first possible end decides.
	f("{severity} {body} <{a:int}>", "I x y <3>", Entry{SeverityText: "I", Body: "x y", Attributes: attributes(number("a", 3))})
	none("{severity} {body} <{a:int}>", "I x <y> <3>")
}

// A word with a prefix shows what the texts before it are.
func TestLayoutPrefix(t *testing.T) {
	format := of(t, "{severity} {a:shop_*}: {b}", "{severity} {spans}: {a:shop_*}: {b}")
	f := func(line string, want ...Attribute) {
		t.Helper()
		var got Entry
		require.True(t, format.match(line, &got), line)
		assert.Equal(t, want, got.Attributes, line)
	}
	f("I shop_a::b: c: d", text("a", "shop_a::b"), text("b", "c: d"))
	f("I x{y: z}: shop_q:  shop_a: c", text("spans", "x{y: z}"), text("a", "shop_q"), text("b", "shop_a: c"))
	f("I x:  y:   shop_a: c", text("spans", "x:  y"), text("a", "shop_a"), text("b", "c"))
	for _, line := range []string{"I shop: c", "I x: shop: c", "I x: shop_", "I : shop_a: c", "I xshop_a: c", "I x: shop_a c: d"} {
		assert.False(t, format.match(line, nil), line)
		assert.False(t, format.match(line, &Entry{}), line)
	}
	files := of(t, "{severity} {a:*.cc}:{n:int}] {body:quoted}", "{severity} {a:server*.cc}:{n:int}] {body}")
	for line, body := range map[string]string{`I a.cc:7] "b\n\"c\""`: "b\n\"c\"", "I server.cc:7] ": "", `I server_a.cc:7] 7`: "7"} {
		var got Entry
		require.True(t, files.match(line, &got), line)
		assert.Equal(t, body, got.Body, line)
	}
	for _, line := range []string{`I a.go:7] "b"`, `I a.cc:7] "b" c="d"`, "I a.cc:7] 7", "I a.cc:7] ", "I .cc:7] b", "I serve.cc:7] b"} {
		assert.False(t, files.match(line, nil), line)
	}
	other := of(t, "{a:shop_*} {severity}")
	assert.True(t, other.begins['s'] && !other.begins['I'])
}

func TestLayoutOptional(t *testing.T) {
	const layout = "{severity} {?t={trace_id} }{?u={tc.user} s={n:int} }{body}"
	f := func(line, body string, ids []Field, attributes ...Attribute) {
		t.Helper()
		e := Entry{IDs: []Field{{"old", "old"}}}
		require.True(t, of(t, layout).match(line, &e), line)
		assert.Equal(t, body, e.Body, line)
		assert.Equal(t, ids, append([]Field(nil), e.IDs...), line)
		assert.Equal(t, attributes, append([]Attribute(nil), e.Attributes...), line)
	}
	f("I t=0 u=x s=1 b", "b", []Field{{"trace_id", "0"}}, text("tc.user", "x"), number("n", 1))
	f("I t=0 b", "b", []Field{{"trace_id", "0"}})
	f("I u=x s=1 b", "b", nil, text("tc.user", "x"), number("n", 1))
	f("I b t=0", "b t=0", nil)
	f("I", "", nil)
	f("I t=0", "", []Field{{"trace_id", "0"}})
	f("I u=x s=1", "", nil, text("tc.user", "x"), number("n", 1))
	for _, line := range []string{"I t= b", "I u=x b", "I u=x s= b"} {
		assert.False(t, of(t, layout).match(line, nil), line)
	}
}

func TestLayoutTargets(t *testing.T) {
	f := func(key string, want target) {
		t.Helper()
		_, got := targetOf(key)
		assert.Equal(t, want, got, key)
	}
	for _, key := range []string{"trace_id", "span_id", "trace_flags", "otel_trace_id", "parent_span_id"} {
		f(key, toIDs)
	}
	for _, key := range []string{"tc.trace_id", "tc.x_span_id", "trace", "id", "xtrace_id", "trace_id.x", "resourcex"} {
		f(key, toAttributes)
	}
	f("resource.trace_id", toResource)
}

// Without a time, a line begins a record only if its severity is a known word. With a time, the
// severity can be any word.
func TestLayoutSeverity(t *testing.T) {
	alone, timed := of(t, "{severity}: {body}"), of(t, "{severity} {time:%m-%d %H:%M:%S} {body}")
	var e Entry
	assert.True(t, alone.match("warning: x", &e))
	assert.Equal(t, plog.SeverityNumberWarn, e.Severity)
	assert.False(t, alone.match("ValueError: x", &e))
	assert.False(t, alone.match("Note: x", nil))
	assert.True(t, timed.match("BANNER 01-02 10:00:00 x", &e))
	assert.Equal(t, "BANNER", e.SeverityText)
	assert.Zero(t, e.Severity)
}

// Neither spaces nor literals that almost match make a long line slow. Quadratic time would be
// minutes here.
func TestLongLines(t *testing.T) {
	const size = 1 << 20
	formats := builtin(t)
	var e Entry
	for _, begin := range []string{"", "I ", "I [", cppLine, pythonLine, traceLine, otelLine, `{"a":`, `{"a":"`, "level=info a=", `msg="`, "\x1b["} {
		for _, unit := range []string{" ", "] ", "] - ", "[", "{", `{"a":`, "x", " x", " trace_id=", ":", "\"", "\\", "a=b ", "\x1b[0m", "\x00\xff", "1"} {
			line := begin + strings.Repeat(unit, size/len(unit))
			format := formats.Match(line, nil, &e)
			assert.Equal(t, format, formats.Head([]byte(line), nil))
			if format == nil {
				continue
			}
			formats.Match(line+"\n"+line, format, &e)
		}
	}
	for _, layout := range []string{"{severity} {a} - {b} - {body}", "{severity} {a}- - - -x{b}"} {
		format := of(t, layout)
		for _, unit := range []string{" ", "-", "- ", " - ", "-  "} {
			format.match("I "+strings.Repeat(unit, size/len(unit)), &e)
		}
	}
}
