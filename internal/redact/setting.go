// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"regexp"
	"strings"
)

var (
	// authorization matches the value of a header Authorization.
	authorization = regexp.MustCompile(`(?i)\b(bearer|basic)\s+[\w+/.~-]{4,}=*`)
	// statement matches a part of the transform language with the value of an attribute, also with escaped quotes.
	statement = regexp.MustCompile(`\[\\?"([^"\\]+)\\?"\]\s*(?:,|==|!=)\s*\\?"((?:[^"\\]|\\[^"])+)`)
	// privateKey matches a private key, or the start of one.
	privateKey = regexp.MustCompile(`(?s)(-----BEGIN [A-Z ]*PRIVATE KEY-----).*?(-----END [A-Z ]*PRIVATE KEY-----|$)`)
)

// setting redacts the text of a setting: as Text does, and credentials in it that are known by their form.
func setting(text string) string {
	text = Text(text)
	text = privateKey.ReplaceAllString(text, "${1}"+hiddenText+"${2}")
	text = authorization.ReplaceAllStringFunc(text, func(match string) string {
		scheme, secret, _ := strings.Cut(match, " ")
		if strings.Trim(secret, "abcdefghijklmnopqrstuvwxyz ") == "" {
			return match // prose, such as "Basic authentication"
		}
		return scheme + " " + hiddenText
	})
	return hideStatements(text)
}

// hideStatements replaces the values of attributes in statements whose names say that they are secrets.
func hideStatements(text string) string {
	var b strings.Builder
	done := 0
	for _, at := range statement.FindAllStringSubmatchIndex(text, -1) {
		if isSetting(text[at[2]:at[3]]) {
			b.WriteString(text[done:at[4]])
			b.WriteString(hiddenText)
			done = at[5]
		}
	}
	b.WriteString(text[done:])
	return b.String()
}
