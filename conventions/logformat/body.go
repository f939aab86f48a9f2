// SPDX-License-Identifier: Apache-2.0

package logformat

import "strings"

// maxPairs bounds the text in which pairs are looked for, in bytes.
const maxPairs = 16 << 10

// cutPairs moves the pairs key=value at the end of a text into the attributes, and returns the text
// before them. Values are as Python writes them: a word, a quoted text, or a text in brackets. A text of
// pairs only, or with an unfinished value, stays as it is.
func (e *Entry) cutPairs(text string) string {
	before := len(e.Attributes)
	if start := e.readPairs(text); start > 0 {
		return strings.TrimRight(text[:start], " ")
	}
	e.Attributes = e.Attributes[:before]
	return text
}

// readPairs appends the pairs at the end of a text to the attributes, and returns where they begin, or
// -1.
func (e *Entry) readPairs(text string) (start int) {
	if len(text) > maxPairs {
		return -1
	}
	start, before := -1, len(e.Attributes)
	for pos := skipSpaces(text, 0); pos < len(text); pos = skipSpaces(text, pos) {
		begin := pos
		for pos < len(text) && isKeyByte(text[pos]) {
			pos++
		}
		if pos == begin || pos == len(text) || text[pos] != '=' { // a word of the message
			for pos < len(text) && text[pos] != ' ' {
				pos++
			}
			start, e.Attributes = -1, e.Attributes[:before]
			continue
		}
		key, valueAt := text[begin:pos], pos+1
		if pos = endOfValue(text, valueAt); pos < 0 {
			return -1
		}
		if start < 0 {
			start = begin
		}
		if len(e.Attributes)-before == maxKeys {
			return -1
		}
		e.Attributes = append(e.Attributes, Attribute{Key: key, Text: unquoted(text[valueAt:pos])})
	}
	return start
}

func isKeyByte(c byte) bool {
	return (c|0x20)-'a' < 26 || c-'0' <= 9 || c == '_' || c == '.' || c == '-'
}

// endOfValue returns the end of a value, which a space or the end of the text follows, or -1.
func endOfValue(text string, pos int) int {
	var open []byte // the brackets and the quote that are not closed
	for ; pos < len(text); pos++ {
		c, in := text[pos], byte(0)
		if len(open) > 0 {
			in = open[len(open)-1]
		}
		switch quoted := in == '\'' || in == '"'; {
		case quoted && c == '\\':
			pos++
		case in != 0 && c == in:
			open = open[:len(open)-1]
		case quoted:
		case c == ' ' && in == 0:
			return pos
		case c == '\'' || c == '"':
			open = append(open, c)
		case c == '(':
			open = append(open, ')')
		case c == '[' || c == '{':
			open = append(open, c+2) // ] and }
		}
	}
	if len(open) > 0 {
		return -1
	}
	return len(text)
}

// unquoted removes the quotes around a value that needs no escapes.
func unquoted(value string) string {
	if n := len(value); n > 1 && (value[0] == '\'' || value[0] == '"') && value[n-1] == value[0] && !strings.ContainsAny(value[1:n-1], `\'"`) {
		return value[1 : n-1]
	}
	return value
}

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
