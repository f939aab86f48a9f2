// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
