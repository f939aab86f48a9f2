// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"strings"
	"unicode"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
)

// Uncorrelated returns why a record has no trace id, and the trace id in its attributes. fields are the
// attributes that may contain it, or nil.
func Uncorrelated(span pcommon.SpanID, fields *tracecontext.Fields) (r *report.Rule, suggestion string, trace pcommon.TraceID) {
	if !span.IsEmpty() {
		return report.RuleSpanWithoutTrace, "", trace
	}
	if fields != nil {
		if ids, ok := fields.Decide(); ok && !ids.TraceID.IsEmpty() {
			return report.RuleIDsInAttributes, "put the log_correlation processor before this connector", ids.TraceID
		}
	}
	return report.RuleNoTrace, "", trace
}

const (
	// maxShape is the length of a shape, in characters.
	maxShape = 80
	// maxShaped is the number of bytes of a line that its shape depends on.
	maxShaped = 256
)

// Shape returns the form of a line without its words and numbers, for a person who writes a layout:
// "2026-01-02 10:00:00 [till-3] WARN drawer is open" is "0-0-0 0:0:0 [a-0] A a a a". Capitals stand for words
// in capitals.
func Shape(line string) string {
	shape := make([]rune, 0, maxShape)
	for i, r := range line {
		if i >= maxShaped || len(shape) >= maxShape {
			break
		}
		class := classOf(r)
		last := rune(0)
		if len(shape) > 0 {
			last = shape[len(shape)-1]
		}
		switch {
		case class == 0:
			shape = append(shape, r)
		case class == 'a' && last == 'A':
			shape[len(shape)-1] = 'a' // a word with a capital
		case class == last, class == 'A' && last == 'a':
		default:
			shape = append(shape, class)
		}
	}
	return strings.TrimSpace(string(shape))
}

// classOf returns what stands for a run of such characters, or 0 for a character that stands for itself.
func classOf(r rune) rune {
	switch {
	case unicode.IsUpper(r):
		return 'A'
	case unicode.IsLetter(r), unicode.IsMark(r):
		return 'a'
	case unicode.IsNumber(r):
		return '0'
	case unicode.IsSpace(r):
		return ' '
	case r < unicode.MaxASCII && unicode.IsPrint(r):
		return 0
	}
	return '?'
}
