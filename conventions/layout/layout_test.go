// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
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

func TestParsePrefix(t *testing.T) {
	for _, text := range []string{"({process.name:word} pid={process.pid:int}) ", "(raylet) ", "(raylet{?, ip={tc.ip:word}}) ", "[rank{tc.rank:int}]:", "[default{}]:", "worker {a} | "} {
		_, err := ParsePrefix(text)
		require.NoError(t, err, text)
	}
}

// Each layout of testdata/errors.yaml, and each prefix of prefix_errors.yaml, is refused with its error.
func TestErrors(t *testing.T) {
	for file, parse := range map[string]func(string) (Layout, error){"errors.yaml": Parse, "prefix_errors.yaml": ParsePrefix} {
		for _, row := range testfiles.Cases[[2]string](t, "testdata/"+file) {
			_, err := parse(row[0])
			assert.EqualError(t, err, row[1], row[0])
		}
	}
}
