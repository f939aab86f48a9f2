// SPDX-License-Identifier: Apache-2.0

package paste

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxKey is the length of the longest scalar that YAML accepts as a key.
const maxKey = 1000

// plain matches the texts that need no quotes, but for words.
var plain = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// words are plain texts that YAML reads as other values than strings.
var words = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"}

// Scalar returns a text as a scalar, in quotes if it needs them. The text must be Safe.
func Scalar(text string) string {
	if plain.MatchString(text) && !slices.Contains(words, strings.ToLower(text)) {
		return text
	}
	return strconv.Quote(text)
}

// Safe reports whether Scalar writes a text that YAML reads back unchanged, also as a key.
func Safe(text string) bool {
	return text != "" && utf8.ValidString(text) && !strings.ContainsRune(text, utf8.RuneError) && len(strconv.Quote(text)) <= maxKey
}

// Comment returns a text as part of a line of a comment. Characters that end the line, show nothing, or
// change how others show are escaped.
func Comment(text string) string {
	if strings.IndexFunc(text, hidden) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if hidden(r) {
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func hidden(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }
