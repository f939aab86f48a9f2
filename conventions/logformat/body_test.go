// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

func TestSourceAtTheEnd(t *testing.T) {
	format, err := newFormat("test", conventions.LogFormat{Lines: []string{"{severity}: {body:source}"}, Joins: true})
	require.NoError(t, err)
	formats := newFormats([]*Format{format}, &prefixes{})
	f := func(line, body string, want ...Attribute) {
		t.Helper()
		var e Entry
		require.Same(t, format, formats.Match(line, nil, &e), line)
		assert.Equal(t, body, e.Body, line)
		assert.Equal(t, want, append([]Attribute(nil), e.Attributes...), line)
	}
	source := []Attribute{text("code.file.path", "a.py"), number("code.line.number", 7), text("logger.name", "lib.a")}
	f("INFO: text (b) (a.py:7:lib.a)", "text (b)", source...)
	f("INFO: text (a.py:7:lib.a)  ", "text", source...)
	f("INFO: two\nlines (a.py:7:lib.a)", "two\nlines", source...)
	f("INFO: two\nlines (a.py:7:lib.a)\nTraceback:\nE: x (b.py:1:y)", "two\nlines\nTraceback:\nE: x (b.py:1:y)", source...)
	for _, body := range []string{"text", "text (a)", "text (a.py:7)", "text (a.py:x:y)", "text (a.py:7:)", "text (:7:y)", "text (a b:7:y)", "text (a:7:b c)",
		"text(a.py:7:y)", "text (a.py:7:y", "text (a.py:7:b:c)", "(a.py:7:y)"} {
		f("INFO: "+body, body)
	}
}
