// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
)

const warningEnd = "Warning: "

// matchWarning parses the first line of a warning as Python writes it: file:line: Category: message. The
// indented line after it shows the source.
func matchWarning(line string, e *Entry) bool {
	at := strings.Index(line, warningEnd)
	if at < 0 {
		return false
	}
	start := at
	for start > 0 && line[start-1] != ' ' {
		start--
	}
	place, found := strings.CutSuffix(line[:start], ": ")
	colon := strings.LastIndexByte(place, ':')
	if !found || colon <= 0 {
		return false
	}
	number, end := integer(place, colon+1)
	if path := place[:colon]; end != len(place) || !isSource(path) {
		return false
	}
	category := line[start : at+len("Warning")]
	if letters(category, 0) != len(category) {
		return false
	}
	if e != nil {
		e.Reset()
		e.Severity, e.SeverityText, e.Body = plog.SeverityNumberWarn, "Warning", line[at+len(warningEnd):]
		e.Attributes = append(e.Attributes, Attribute{Key: "code.file.path", Text: place[:colon]},
			Attribute{Key: "code.line.number", Kind: KindInt, Int: number}, Attribute{Key: "exception.type", Text: category})
	}
	return true
}

// isSource reports whether a path is one of a Python module. That of a module without a file is in angles.
func isSource(path string) bool {
	return strings.HasSuffix(path, ".py") || path == "sys" || path[0] == '<' && strings.HasSuffix(path, ">")
}
