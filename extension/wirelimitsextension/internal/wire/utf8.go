// SPDX-License-Identifier: Apache-2.0

package wire

import "unicode/utf8"

// utf8Checker checks a text in chunks, which may end inside a character.
type utf8Checker struct {
	partial [utf8.UTFMax]byte // an incomplete character at the end of the last chunk
	held    int               // the length of partial
}

// check reports whether the text is valid so far or, after the last chunk, as a whole.
func (u *utf8Checker) check(chunk []byte, last bool) bool {
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
	return !last || u.held == 0
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
