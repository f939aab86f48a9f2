package naming

import (
	"strings"
	"unicode/utf8"
)

// maxPart bounds one part of a span name, in bytes, so that an operation cannot be a megabyte
// long.
const maxPart = 64

// Beginning returns the beginning of a text, at most size bytes, cut between characters.
func Beginning(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isWord(c byte) bool  { return isLower(c) || isUpper(c) || isDigit(c) }

func lower(c byte) byte {
	if isUpper(c) {
		return c + 'a' - 'A'
	}
	return c
}

// snakeCase converts a name to lower_snake_case. Each run of bytes other than ASCII letters and
// digits becomes one underscore, and so does a border between words of camelCase: numRequests,
// HTTPServer. The words p2pBytes and P2PBytes keep p2p. It returns "" if no byte can be kept.
func snakeCase(name string) string {
	var b strings.Builder
	b.Grow(len(name) + 4)
	gap := false
	for i := range len(name) {
		c := name[i]
		if !isWord(c) {
			gap = true
			continue
		}
		if b.Len() > 0 && (gap || camelBorder(name, i)) {
			b.WriteByte('_')
		}
		gap = false
		b.WriteByte(lower(c))
	}
	return b.String()
}

// camelBorder reports whether a word of camelCase begins at name[i], for i > 0.
func camelBorder(name string, i int) bool {
	if !isUpper(name[i]) {
		return false
	}
	if isLower(name[i-1]) {
		return true
	}
	// The last capital of an acronym begins the next word: HTTP|Server.
	return i+1 < len(name) && isLower(name[i+1]) && isWord(name[i-1])
}

// pascalCase converts a text to [A-Z][A-Za-z0-9]*, or to "" if no byte can be kept. Words in
// capitals keep only the first one (PREFILL → Prefill). Words with inner capitals or digits
// keep them (SKABaseDevice, P2P).
func pascalCase(text string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r > 127 || !isWord(byte(r)) }) {
		if b.Len() == 0 && isDigit(word[0]) {
			b.WriteString("Op")
		}
		word = word[:min(len(word), maxPart-b.Len())]
		if word == "" {
			break
		}
		if allCapitals(word) {
			b.WriteByte(word[0])
			b.WriteString(strings.ToLower(word[1:]))
			continue
		}
		b.WriteString(strings.ToUpper(word[:1]))
		b.WriteString(word[1:])
	}
	return b.String()
}

func allCapitals(word string) bool {
	for i := range len(word) {
		if !isUpper(word[i]) {
			return false
		}
	}
	return true
}
