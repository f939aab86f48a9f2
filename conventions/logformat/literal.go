package logformat

import "strings"

// literal is text of a layout, in which a space stands for a run of spaces.
type literal struct {
	text string
	// last tells that only the rest of the line follows. The literal's last space may
	// then be missing with it: files are often stripped of spaces at the end of lines.
	last bool
}

// skip returns where the literal ends that begins at pos, or -1.
func (l literal) skip(line string, pos int) int {
	// Most often it is there as it is, which is faster to compare at once.
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

// find returns where the literal begins, from pos on, and where it ends; or -1.
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
		// What a run of spaces does not begin, no rest of the run does.
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
