// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"math"
	"strings"
)

// literal is a text of a layout, in which a space stands for a run of spaces.
type literal struct {
	text string
	// last means that only the rest of the line follows. The literal's last space may then be
	// missing, because editors and tools often strip spaces at the end of lines.
	last bool
}

// skip returns the end of a literal that begins at pos, or -1.
func (l literal) skip(line string, pos int) int {
	// The line mostly contains the exact text, which is faster to compare at once.
	if end := pos + len(l.text); end <= len(line) && line[pos:end] == l.text {
		if line[end-1] == ' ' {
			return skipSpaces(line, end)
		}
		return end
	}
	for i := range len(l.text) {
		switch c := l.text[i]; {
		case c == ' ' && pos > 0 && line[pos-1] == ' ', // of the same run
			c == ' ' && pos == len(line) && l.last && i == len(l.text)-1:
			pos = skipSpaces(line, pos)
		case pos == len(line) || line[pos] != c:
			return -1
		case c == ' ':
			pos = skipSpaces(line, pos)
		default:
			pos++
		}
	}
	return pos
}

// find returns the begin and the end of the literal's first occurrence from pos on, or -1.
func (l literal) find(line string, pos int) (start, end int) {
	for {
		i := strings.IndexByte(line[pos:], l.text[0])
		if i < 0 {
			break
		}
		pos += i
		if end := l.skip(line, pos); end >= 0 {
			return pos, end
		}
		// If the literal does not begin at the first space of a run, it does not begin at
		// another.
		pos = max(pos+1, skipSpaces(line, pos))
	}
	if l.last && l.text == " " {
		return len(line), len(line)
	}
	return -1, -1
}

func skipSpaces(line string, pos int) int {
	for pos < len(line) && line[pos] == ' ' {
		pos++
	}
	return pos
}

// integer parses an integer of 64 bits. It returns its end, or -1.
func integer(line string, pos int) (n int64, end int) {
	negative := pos < len(line) && line[pos] == '-'
	if negative {
		pos++
	}
	start := pos
	for ; pos < len(line) && line[pos]-'0' <= 9; pos++ {
		digit := int64(line[pos] - '0')
		if n > (math.MaxInt64-digit)/10 {
			return 0, -1
		}
		n = n*10 + digit
	}
	if pos == start {
		return 0, -1
	}
	if negative {
		n = -n
	}
	return n, pos
}

// letters returns the end of the ASCII letters that begin at pos.
func letters(line string, pos int) int {
	for pos < len(line) && (line[pos]|0x20)-'a' < 26 {
		pos++
	}
	return pos
}
