// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"regexp"
	"strings"
)

// Text replaces the user info of URLs in a text, and the values of their query parameters that are secrets: ?api_key=a
// becomes ?api_key=REDACTED. It returns a text without such URLs unchanged.
func Text(text string) string { return queries(URLs(text)) }

// Address redacts an address as Text does. The address may lack a scheme, as in user:secret@host.
func Address(address string) string {
	if at := strings.LastIndexByte(address, '@'); at >= 0 && !strings.Contains(address, scheme) {
		address = replacement + address[at:]
	}
	return Text(address)
}

// queryEnds are the bytes that end the value of a query parameter.
const queryEnds = "&#'\\" + ends

// queries replaces the values of secret query parameters. A path without a scheme can have them, too.
func queries(text string) string {
	if strings.IndexByte(text, '?') < 0 {
		return text // most texts
	}
	var b strings.Builder
	done := 0        // the length of the text that b contains
	inQuery := false // whether the text at i is in a query
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '?':
			inQuery = true
		case strings.IndexByte(ends, c) >= 0:
			inQuery = false
		}
		if c := text[i]; !inQuery || c != '?' && c != '&' {
			continue
		}
		name, _, ok := strings.Cut(text[i+1:i+1+length(text[i+1:], "?"+queryEnds)], "=")
		if !ok || !isParameter(name) {
			continue
		}
		value := i + 1 + len(name) + 1
		end := value + length(text[value:], queryEnds)
		if secret := text[value:end]; secret == "" || secret == replacement {
			continue
		}
		b.WriteString(text[done:value])
		b.WriteString(replacement)
		done, i = end, end-1
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// length returns the length of a text up to one of some bytes.
func length(text, bytes string) int {
	if end := strings.IndexAny(text, bytes); end >= 0 {
		return end
	}
	return len(text)
}

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
