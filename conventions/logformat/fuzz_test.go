// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// FuzzMatch checks that the first line of a record decides its format. A layout returns parts
// of the record, and a reused entry equals a new one.
func FuzzMatch(f *testing.F) {
	for _, line := range ofLayouts {
		f.Add(line)
		f.Add("\x1b[31m" + line + "\nTraceback\x1b[0m")
	}
	for _, record := range []string{"", "{}", jsonLine, logfmtLine, traceback, continuation, "\x1b[m", `{"msg":"\ud800","a":[{}]}`, "level=\"\\x\""} {
		f.Add(record)
	}
	formats := builtin(f)
	for _, records := range samples(f, formats) {
		for _, record := range records {
			f.Add(record)
		}
	}
	var used Entry
	f.Fuzz(func(t *testing.T, record string) {
		var e Entry
		format := formats.Match(record, nil, &e)
		assert.Same(t, format, formats.Match(record, nil, &used))
		assert.Equal(t, pieces(&e), pieces(&used))
		if line, _, several := strings.Cut(record, "\n"); !several {
			// A format of two lines has a head that is no record yet.
			if head := formats.Head([]byte(line), nil); head == nil || head.second == nil {
				assert.Same(t, format, head)
			}
			assert.Same(t, format, formats.Match(record, format, &used), "as a hint")
		} else if format != nil {
			assert.True(t, format.Joins)
		}
		if format == nil {
			assert.Empty(t, pieces(&e))
			return
		}
		line, _, _ := strings.Cut(record, "\n")
		assert.Same(t, format, formats.Parse(record, formats.Head([]byte(line), nil), &used))
		assert.Equal(t, pieces(&e), pieces(&used))
		into := pcommon.NewMap()
		for _, a := range e.Attributes {
			a.Put(into)
		}
		if format.Name == "json" || format.Name == "logfmt" {
			return
		}
		record = WithoutColour(record)
		if format.Name != "structlog" {
			assert.Contains(t, record, e.Body)
		}
		requireAllText(t, format, record, &e)
	})
}

// requireAllText checks that the entry holds each word of the record, so that no text is lost. What
// layouts leave out has no letters, except for names of weekdays and the literals of python_otel.
func requireAllText(t *testing.T, format *Format, record string, e *Entry) {
	t.Helper()
	if format.System != "" || slices.Contains([]string{"apache_error", "python_otel"}, format.Name) {
		return
	}
	var all strings.Builder
	for key, value := range pieces(e) {
		all.WriteString(key + "=" + value + "\n")
	}
	line, _, _ := strings.Cut(record, "\n")
	if !e.Time.IsZero() {
		all.WriteString("TZUTCAMPM" + months) // and the digits
	}
	text := all.String()
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) }) {
		assert.Contains(t, text, word, "%s: %q", format.Name, record)
	}
}
