// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	f := func(text string, want ...Part) {
		t.Helper()
		got, err := Parse(text)
		require.NoError(t, err)
		assert.Equal(t, Layout(want), got)
	}
	severity, body := Part{Kind: Severity}, Part{Kind: Body}
	literal := func(text string) Part { return Part{Kind: Literal, Text: text} }

	f("{severity}", severity)
	f("{severity}{body}", severity, body)
	f("{severity}   [ {body}]  ", severity, literal(" [ "), body, literal("] "))
	f("{time:%d/%b %H:%M:%S}{severity}{tc.a_b-c:int}{body}",
		Part{Kind: Time, Text: "%d/%b %H:%M:%S"}, severity, Part{Kind: Int, Text: "tc.a_b-c"}, body)
}

func TestParseForms(t *testing.T) {
	got, err := Parse("{severity:upper} {time:iso} {a:word} {body:rest}{b}")
	require.NoError(t, err)
	space := Part{Kind: Literal, Text: " "}
	assert.Equal(t, Layout{{Kind: Severity, Text: Upper}, space, {Kind: Time, Text: ISO}, space, {Kind: Text, Text: "a", Word: true}, space, {Kind: Rest}, {Kind: Text, Text: "b"}}, got)
	assert.True(t, got.EndsInBody())
	got, err = Parse("{severity} {a:http_*.go}")
	require.NoError(t, err)
	assert.Equal(t, Part{Kind: Text, Text: "a", Word: true, Prefix: "http_", Suffix: ".go"}, got[2])
	got, err = Parse("<{severity:syslog}>{time:%I:%M:%S %p} {body:pairs}")
	require.NoError(t, err)
	assert.Equal(t, Part{Kind: Severity, Text: Syslog}, got[1])
	assert.Equal(t, Part{Kind: Body, Text: Pairs}, got[5])
}

func TestParseOptional(t *testing.T) {
	got, err := Parse("{severity}{? a={a:int}{?, b={b}}}")
	require.NoError(t, err)
	assert.Equal(t, Layout{
		{Kind: Severity},
		{Kind: Optional, Optional: 5},
		{Kind: Literal, Text: " a="}, {Kind: Int, Text: "a"},
		{Kind: Optional, Optional: 2},
		{Kind: Literal, Text: ", b="}, {Kind: Text, Text: "b"},
	}, got)
}

func TestParseErrors(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		_, err := Parse(text)
		assert.EqualError(t, err, want)
	}
	const (
		form    = "a placeholder must be {key}, {key:int}, {key:word}, {time:format} or {} (got "
		parts   = "a time must be iso, or %Q alone, or have %H, or %I and %p, with %M and %S, and if a date then %d and one of %m and %b (got "
		unknown = ": after a colon, only {time:format}, {key:int}, {key:word}, {key:prefix*suffix}, {severity:upper}, {severity:level}, {severity:syslog}, {body:rest}, {body:pairs}, {body:source} and {body:quoted} are known"
		known   = "a layout must have {time:format}, {severity} or {http.request.method}, by which records are recognised"
	)
	f("", known)
	f("{body}", known)
	f("a\n{severity}", "a layout must be one line")
	f("{severity", form+`"{severity")`)
	f("{severity} {a b} {body}", form+`"{a b} {body}")`)
	f("{severity} {.a}", form+`"{.a}")`)
	f("{severity} a} {body}", "} must close a {")
	f("{severity} {?a {body}", "{body} must not be in {?…}: records are recognised by it")
	f("{? {severity}}", "{severity} must not be in {?…}: records are recognised by it")
	f("{severity} {?a", "{? must be closed by }")
	f("{severity} {?}", "{?…} must begin with literal text, which shows whether it is there")
	f("{severity} {?{a} }", "{?…} must begin with literal text, which shows whether it is there")
	f("{severity} {a:float}", "{a:float}"+unknown)
	f("{severity} {a:*}", "{a:*}"+unknown)
	f("{severity:int}", "{severity:int}"+unknown)
	f("{severity} {:int}", "{:int}"+unknown)
	f("{severity} {body:int}", "{body:int}"+unknown)
	f("{severity} {a}{b}", "{a} must be followed by literal text, which shows where it ends")
	f("{severity} {}{body}", "{} must be followed by literal text, which shows where it ends")
	f("{severity} {body}{a:int}", "{body} must be followed by literal text, which shows where it ends")
	f("{severity} {a}{? b}", "{a} must be followed by literal text, which shows where it ends")
	f("{severity} {a} {a:int}", "{a} must occur once")
	f("{severity} {severity}", "{severity} must occur once")
	f("{time}", "{time}: "+parts+`"")`)
	f("{time:%d %H:%M:%S}", "{time:%d %H:%M:%S}: "+parts+`"%d %H:%M:%S")`)
	f("{time:%Y %H:%M:%S}", "{time:%Y %H:%M:%S}: "+parts+`"%Y %H:%M:%S")`)
	f("{time:%I:%M:%S}", "{time:%I:%M:%S}: "+parts+`"%I:%M:%S")`)
	f("{time:%H:%M:%S %p}", "{time:%H:%M:%S %p}: "+parts+`"%H:%M:%S %p")`)
	f("{severity} {body:pairs} {a}", "{body:pairs} must be the end")
	f("{severity} {body:rest} {body}", "{body} must occur once")
	f("{time:%m %b %d %H:%M:%S}", "{time:%m %b %d %H:%M:%S}: "+parts+`"%m %b %d %H:%M:%S")`)
	f("{time:%Q %m-%d %H:%M:%S}", "{time:%Q %m-%d %H:%M:%S}: "+parts+`"%Q %m-%d %H:%M:%S")`)
	f("{time:%q}", `{time:%q}: a verb must be % and one of YmbdHIMSpfzQ (got "%q")`)
	f("{time:%}", `{time:%}: a verb must be % and one of YmbdHIMSpfzQ (got "%")`)
	f("{time:%d%d}", "{time:%d%d}: %d must occur once")
	f("{time:%m-%d %H:%M:%S%f}", "{time:%m-%d %H:%M:%S%f}: %f must follow a point or a comma")
}

func TestParsePrefix(t *testing.T) {
	for _, text := range []string{"({process.name:word} pid={process.pid:int}) ", "(raylet) ", "(raylet{?, ip={tc.ip:word}}) ", "[rank{tc.rank:int}]:", "[default{}]:", "worker {a} | "} {
		_, err := ParsePrefix(text)
		require.NoError(t, err, text)
	}
}

func TestParsePrefixErrors(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		_, err := ParsePrefix(text)
		assert.EqualError(t, err, want, text)
	}
	const (
		begin   = "a prefix must begin with literal text, by which it is found"
		end     = "a prefix must end in literal text other than spaces, which shows where the line begins"
		letters = "a prefix must have literal text with three letters in a row: other programs write the rest too"
	)
	f("", begin)
	f(" {a} pid) ", begin)
	f("{a} pid: ", begin)
	f("pid={a:int}", end)
	f("pid={a:int} ", end)
	f("pid={a:int}{?: }", end)
	f("pid={a:int}{? b{? c}}", end)
	f("pid={a}", end)
	f("({a}) ", letters)
	f("(a b {a}) ", letters)
	f("pid={severity}:", "{severity} must not be in a prefix: it belongs to a line")
	f("pid={time:iso}:", "{time} must not be in a prefix: it belongs to a line")
	f("pid={body}:", "{body} must not be in a prefix: it belongs to a line")
	f("pid={a:int} {a:int}:", "{a} must occur once")
	f("pid={a}{b}:", "{a} must be followed by literal text, which shows where it ends")
	f("pid={a", `a placeholder must be {key}, {key:int}, {key:word}, {time:format} or {} (got "{a")`)
	f("a\nb", "a layout must be one line")
}
