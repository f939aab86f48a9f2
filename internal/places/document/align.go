// SPDX-License-Identifier: Apache-2.0

package document

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// alignment is where the bytes of a string are in its file. Space has no place, because YAML folds it.
type alignment struct{ starts, ends []int }

const noPlace = -1

// start returns where an edit begins in the file.
func (a *alignment) start(e Edit) int {
	if e.Start == e.End && e.Start > 0 && a.ends[e.Start-1] != noPlace {
		return a.ends[e.Start-1]
	}
	if e.Start == len(a.starts) {
		return noPlace
	}
	return a.starts[e.Start]
}

// end returns where an edit ends in the file.
func (a *alignment) end(e Edit) int {
	if e.Start == e.End {
		return a.start(e)
	}
	return a.ends[e.End-1]
}

// align finds the bytes of a string in its file.
func (n *Node) align() (*alignment, error) {
	a := &alignment{make([]int, len(n.Text)), make([]int, len(n.Text))}
	raw, at := n.file.text, n.content()
	for i := 0; i < len(n.Text); {
		if isSpace(n.Text[i]) {
			a.starts[i], a.ends[i] = noPlace, noPlace
			i++
			continue
		}
		at = n.skipSpace(raw, at)
		if at >= len(raw) {
			return nil, errPlace
		}
		means, size := n.read(raw[at:])
		if means == "" || !strings.HasPrefix(n.Text[i:], means) {
			return nil, errPlace
		}
		for range len(means) {
			a.starts[i], a.ends[i] = at, at+size
			i++
		}
		at += size
	}
	return a, nil
}

// content returns where the content of a string begins: behind its tag and its anchor, its quote or the
// line of its block.
func (n *Node) content() int {
	raw, at := n.file.text, n.offset()
	for at < len(raw) && (raw[at] == '&' || raw[at] == '!') {
		for at < len(raw) && !isSpace(raw[at]) {
			at++
		}
		for at < len(raw) && isSpace(raw[at]) {
			at++
		}
	}
	switch {
	case n.is(yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle):
		return at + 1
	case n.isBlock():
		if end := strings.IndexByte(raw[at:], '\n'); end >= 0 {
			return at + end
		}
		return len(raw)
	}
	return at
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// skipSpace returns the next place without space, whether it is escaped or not.
func (n *Node) skipSpace(raw string, place int) int {
	for place < len(raw) {
		switch {
		case isSpace(raw[place]):
			place++
		case n.is(yaml.DoubleQuotedStyle) && raw[place] == '\\' && place+1 < len(raw):
			means, size := n.read(raw[place:])
			if strings.TrimLeft(means, " \t\r\n") != "" || size == 0 {
				return place
			}
			place += size
		default:
			return place
		}
	}
	return place
}

// read returns what the beginning of a text means, and its size.
func (n *Node) read(raw string) (means string, size int) {
	switch {
	case n.is(yaml.SingleQuotedStyle) && strings.HasPrefix(raw, "''"):
		return "'", 2
	case n.is(yaml.DoubleQuotedStyle) && raw[0] == '\\':
		return readEscape(raw)
	}
	return raw[:1], 1
}

// escapes are the escapes of one character, of JSON and of YAML.
var escapes = map[byte]string{
	'"': `"`, '\\': `\`, '/': "/", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t",
	'0': "\x00", 'a': "\a", 'v': "\v", 'e': "\x1b", ' ': " ", '\t': "\t", '\n': "\n",
	'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// digits are the digits of escapes with a number.
var digits = map[byte]int{'x': 2, 'u': 4, 'U': 8}

func readEscape(raw string) (means string, size int) {
	if len(raw) < 2 {
		return "", 0
	}
	if means, ok := escapes[raw[1]]; ok {
		return means, 2
	}
	size = 2 + digits[raw[1]]
	if size == 2 || len(raw) < size {
		return "", 0
	}
	number, err := strconv.ParseUint(raw[2:size], 16, 32)
	if err != nil {
		return "", 0
	}
	return string(rune(number)), size
}
