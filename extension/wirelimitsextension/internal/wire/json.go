// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"unicode/utf8"
)

// separatorWeight is the memory of an array element in bytes. It is half of the heaviest
// message, so that the estimate is at least half of the real memory.
const separatorWeight = 108

// JSON checks a request in JSON, where each message is an object. It is not safe for concurrent
// use.
//
// After invalid input, pdata continues at another position than a strict parser, possibly
// inside a string: it decodes 4 MiB of "1,1,1" in an array of spans to two million spans before
// it returns an error. Therefore all commas and brackets count, inside strings as well, because
// every message has one. Input that is not JSON is refused, so that every field name is inside
// a string here.
type JSON struct {
	tally
	depth   int    // of objects
	opened  []byte // the open brackets
	last    byte   // the last byte that is neither a space nor inside a string, except a string's end
	inText  bool
	escaped bool
	done    bool // the request has ended, and all following bytes are ignored
	utf8    utf8Checker
}

// NewJSON returns a checker for one request.
func NewJSON(limits Limits) *JSON { return &JSON{tally: tally{limits: limits}} }

// Check implements Checker.
func (j *JSON) Check(chunk []byte) Rule {
	if j.rule != None {
		return j.rule
	}
	j.pos += len(chunk)
	j.extra += separatorWeight * (bytes.Count(chunk, []byte{','}) + bytes.Count(chunk, []byte{'['}))
	if j.fits() && !j.utf8.check(chunk) {
		j.rule = NotUTF8
	}
	if j.rule == None && !j.done {
		j.scan(chunk)
	}
	return j.rule
}

// scan follows strings and brackets until a limit is exceeded.
func (j *JSON) scan(chunk []byte) {
	i := 0
	if j.inText {
		i = j.text(chunk, 0) + 1
	}
	for ; i < len(chunk) && j.rule == None && !j.done; i++ {
		b := chunk[i]
		what := classes[b]
		if what == space {
			continue
		}
		if what&follows[j.last] == 0 {
			j.rule = NotJSON
			return
		}
		j.last = b
		switch b {
		case '"':
			j.inText = true
			i = j.text(chunk, i+1)
		case '{', '[':
			j.open(b)
		case '}', ']':
			j.close(b)
		case 'n': // null is an empty message
			j.message(j.depth+1, 0)
		}
	}
}

// open begins an object or an array. At most every second level can be an array.
func (j *JSON) open(bracket byte) {
	j.opened = append(j.opened, bracket)
	if bracket == '{' {
		j.depth++
	}
	j.message(max(j.depth, len(j.opened)/2), 0)
}

// close ends the innermost object or array. In ASCII, the two brackets are 2 apart.
func (j *JSON) close(bracket byte) {
	last := len(j.opened) - 1
	if last < 0 || j.opened[last] != bracket-2 {
		j.rule = NotJSON
		return
	}
	if bracket == '}' {
		j.depth--
	}
	j.opened = j.opened[:last]
	j.done = last == 0
}

// text continues in a string from i, and returns the index of its end.
func (j *JSON) text(chunk []byte, i int) int {
	if j.escaped {
		j.escaped = false
		i++
	}
	for ; i < len(chunk); i++ {
		switch chunk[i] {
		case '"':
			j.inText = false
			return i
		case '\\':
			i++
			j.escaped = i == len(chunk)
		}
	}
	return i
}

// class is the role of a byte outside of strings. A set of classes describes what may follow.
type class uint8

const (
	open class = 1 << iota // of an object or an array
	end                    // of an object or an array
	comma
	colon
	quote  // the beginning or end of a string
	scalar // a byte of a number, true, false or null
	space  // allowed anywhere
)

// classes are the classes of all bytes that JSON allows outside of strings.
var classes = func() (all [256]class) {
	for what, set := range map[class]string{
		open: "{[", end: "}]", comma: ",", colon: ":", quote: `"`, space: " \t\r\n",
		scalar: "0123456789+-.eEtrufalsn",
	} {
		for _, b := range []byte(set) {
			all[b] = what
		}
	}
	return all
}()

// follows has the classes that may follow a byte. It does not check what depends on the open
// brackets, nor the order inside numbers and words.
var follows = func() (all [256]class) {
	const value = open | quote | scalar
	for b := range all {
		switch what := classes[b]; what {
		case end, quote, scalar:
			all[b] = end | comma | colon
			if what == scalar {
				all[b] |= scalar
			}
		case comma, colon:
			all[b] = value
		}
	}
	all['{'] = end | quote
	all['['] = end | value
	all[0] = value // the beginning of the request
	return all
}()

// utf8Checker checks a text in chunks, which may end inside a character.
type utf8Checker struct {
	partial [utf8.UTFMax]byte // an incomplete character at the end of the last chunk
	held    int               // the length of partial
}

// check reports whether the text is valid so far.
func (u *utf8Checker) check(chunk []byte) bool {
	for u.held > 0 && len(chunk) > 0 {
		u.partial[u.held] = chunk[0]
		u.held++
		chunk = chunk[1:]
		if begin := u.partial[:u.held]; utf8.FullRune(begin) {
			if !utf8.Valid(begin) {
				return false
			}
			u.held = 0
		}
	}
	whole := len(chunk) - partialLength(chunk)
	if !utf8.Valid(chunk[:whole]) {
		return false
	}
	u.held += copy(u.partial[u.held:], chunk[whole:])
	return true
}

// partialLength returns the length of the incomplete character at the end of a chunk, or 0.
func partialLength(chunk []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(chunk); n++ {
		if tail := chunk[len(chunk)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
