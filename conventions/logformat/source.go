// SPDX-License-Identifier: Apache-2.0

package logformat

import "strings"

// cutSource moves the source location " (file:line:logger)" at the end of a text into the attributes, and
// returns the text without it. Of several lines, the first that ends in a source location has it: lines that
// follow are a traceback.
func (e *Entry) cutSource(text string) string {
	for start := 0; start < len(text); {
		end := start + strings.IndexByte(text[start:], '\n')
		if end < start {
			end = len(text)
		}
		if at := e.readSource(strings.TrimRight(text[start:end], " \r")); at >= 0 {
			return text[:start+at] + text[end:]
		}
		start = end + 1
	}
	e.seeksSource = true
	return text
}

// readSource appends the source location at the end of a line to the attributes, and returns where it begins,
// or -1.
func (e *Entry) readSource(line string) (start int) {
	inner, ok := strings.CutSuffix(line, ")")
	start = strings.LastIndex(inner, " (")
	if !ok || start < 0 {
		return -1
	}
	file, rest, _ := strings.Cut(inner[start+len(" ("):], ":")
	n, end := integer(rest, 0)
	if file == "" || end < 0 || strings.ContainsRune(file, ' ') {
		return -1
	}
	name, ok := strings.CutPrefix(rest[end:], ":")
	if !ok || name == "" || strings.ContainsAny(name, " :") {
		return -1
	}
	e.Attributes = append(e.Attributes, Attribute{Key: "code.file.path", Text: file},
		Attribute{Key: "code.line.number", Kind: KindInt, Int: n}, Attribute{Key: "logger.name", Text: name})
	return start
}
