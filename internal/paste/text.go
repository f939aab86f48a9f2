// SPDX-License-Identifier: Apache-2.0

// Package paste writes configuration that a person pastes into theirs: it sets what it says, and loses nothing that
// is set. Names in it come from telemetry.
package paste

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.opentelemetry.io/collector/confmap"
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

// maxLine is the length of a text in a list.
const maxLine = 300

// OneLine returns the beginning of a text as part of a line, which can be a comment.
func OneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxLine {
		text = strings.ToValidUTF8(text[:maxLine], "") + "…"
	}
	return Comment(text)
}

func hidden(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }

const (
	// maxName is the number of bytes that components keep of a name from telemetry.
	maxName = 256
	// maxWhole is the length of the longest name that was certainly not cut: cuts are between characters.
	maxWhole = maxName - utf8.UTFMax
)

// Whole reports whether a name is not one that a component cut.
func Whole(name string) bool { return len(name) <= maxWhole }

// Exact reports whether YAML can have a name from telemetry, and stands for the whole of it.
func Exact(name string) bool { return Whole(name) && Safe(name) }

// Selects reports whether a collector's configuration can select what has a name, and nothing else. A star matches
// any text, and a collector splits keys at "::".
func Selects(name string) bool {
	return Exact(name) && !strings.Contains(name, "*") && !strings.Contains(name, confmap.KeyDelimiter)
}
