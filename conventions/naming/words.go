// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const hashLetters = 16

// hash returns a hash of a text in the letters a to p. Digits would make it look like an id.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	n := binary.BigEndian.Uint64(sum[:])
	var letters [hashLetters]byte
	for i := range letters {
		letters[i] = 'a' + byte(n&15)
		n >>= 4
	}
	return string(letters[:])
}

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

// foreignWords are the letters that a name's hash has, if the name has letters outside of ASCII or is too
// long.
const foreignWords = 8

// ascii returns a text in ASCII, and whether it has letters or digits outside of ASCII. Accents
// are removed (größe becomes groe), other letters are left out, and other characters separate
// words. A hash of the text then keeps different names apart.
func ascii(text string) (plain string, foreign bool) {
	i := 0
	for i < len(text) && text[i] < utf8.RuneSelf {
		i++
	}
	if i == len(text) {
		return text, false
	}
	var b strings.Builder
	for _, r := range norm.NFD.String(text) {
		switch {
		case r < utf8.RuneSelf:
			b.WriteByte(byte(r))
		case r == utf8.RuneError:
			b.WriteByte(' ')
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
			foreign = true
		default:
			b.WriteByte(' ')
		}
	}
	return b.String(), foreign
}

// foreignHash returns the hash for the name of a text with letters outside of ASCII. Composed and
// decomposed characters are equal, and so are all separators.
func foreignHash(text string) string {
	words := strings.FieldsFunc(norm.NFC.String(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	})
	return hash(strings.Join(words, " "))[:foreignWords]
}

// snakeCase converts a name to lower_snake_case. Each run of characters other than letters and
// digits becomes one underscore, and so does a border between words of camelCase: numRequests,
// HTTPServer. The words p2pBytes and P2PBytes keep p2p. A name with letters outside of ASCII
// ends in a hash. It returns "" if the name has no letter or digit.
func snakeCase(text string) string {
	name, foreign := ascii(text)
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
	if foreign {
		if b.Len() > 0 {
			b.WriteByte('_')
		}
		b.WriteString(foreignHash(text))
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

// pascalCase converts a text to [A-Z][A-Za-z0-9]*, or to "" if it has no letter or digit. Words in
// capitals keep only the first one (PREFILL → Prefill). Words with inner capitals or digits
// keep them (SKABaseDevice, P2P). A text that is too long, or with letters outside of ASCII, ends in a hash.
func pascalCase(text string) string {
	plain, foreign := ascii(text)
	if !foreign {
		if whole, ok := pascalWords(plain, maxPart); ok {
			return whole
		}
	}
	beginning, _ := pascalWords(plain, maxPart-foreignWords)
	h := foreignHash(text)
	return beginning + strings.ToUpper(h[:1]) + h[1:]
}

// pascalWords joins the words of a text in ASCII as pascalCase does, and reports whether they fit into a
// size.
func pascalWords(plain string, most int) (joined string, whole bool) {
	var b strings.Builder
	whole = true
	for word := range strings.FieldsFuncSeq(plain, func(r rune) bool { return r > 127 || !isWord(byte(r)) }) {
		if b.Len() == 0 && isDigit(word[0]) {
			b.WriteString("Op")
		}
		if most-b.Len() < len(word) {
			word, whole = word[:most-b.Len()], false
		}
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
	return b.String(), whole
}

func allCapitals(word string) bool {
	for i := range len(word) {
		if !isUpper(word[i]) {
			return false
		}
	}
	return true
}
