// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// notOfRoute reports whether no route contains a character.
func notOfRoute(r rune) bool {
	return r == '?' || r == '#' || r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r)
}

// isRoute reports whether a path has neither ids nor values, as a route.
func isRoute(path string) bool {
	rest, ids := splitIDs(Beginning(path, maxDecided))
	return ids == nil && withoutValues(rest) == rest
}

// maxDecided is the number of bytes of a span's name that decide.
const maxDecided = 1 << 10

// Values that a name must not have. They are private, so they are no ids to be kept.
var (
	// The sign may be encoded, or as wide as a letter of Chinese.
	email = regexp.MustCompile(`[\pL\pN._%+-]+(?:@|%40|＠)[\pL\pN-]+(?:\.[\pL\pN-]+)*`)
	// token is a JSON web token, or the beginning of one.
	token = regexp.MustCompile(`\beyJ[\w-]{8,}(?:\.[\w-]+){0,2}`)
	// quoted is a text in quotes, with what is around it.
	quoted = regexp.MustCompile(`([:=(,\[]\s*)("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')(\s*:)?`)
	// queryValue is a value of a query, a form or a log line: name=bob.
	queryValue = regexp.MustCompile(`([\pL\pN_\])])=("[^"]*"?|'[^']*'?|[^=\s&;,)][^\s&;,)]*)`)
	// statement is a statement of SQL.
	statement = regexp.MustCompile(`(?is)^\s*select\s|(?:^|[\s:(])(?:select\s.*\sfrom\s|(?:insert|merge|replace|upsert)\s+into\s|update\s.*\sset\s|delete\s+from\s|(?:call|copy|exec|execute|explain|create|alter|drop|grant|set|show|declare|values)\s[^'"]*['"])`)
	// literal is a literal or a comment of SQL. Some databases quote texts twice.
	literal = regexp.MustCompile(`(?is)[bnx]?'(?:[^'\\]|''|\\.)*(?:'|$)|"(?:[^"\\]|""|\\.)*(?:"|$)|\$(\w*)\$.*?(?:\$\w*\$|$)|--[^\n]*|/\*.*?(?:\*/|$)|\b0x[0-9a-f]+\b|\b\d+(?:\.\d*)?(?:e[-+]?\d+)?\b|\b(?:true|false)\b`)
)

// withoutValues removes e-mail addresses, the values of queries and the literals of SQL from a
// name.
func withoutValues(name string) string {
	sql := statement.MatchString(name)
	if sql {
		// Only some databases escape a quote by a backslash, so it is unknown where the literal ends.
		if at := escapedQuote(name); at >= 0 {
			name = name[:at]
		}
		name = literal.ReplaceAllString(name, " ")
	}
	if strings.Contains(name, "@") || strings.Contains(name, "%40") || strings.Contains(name, "＠") {
		name = email.ReplaceAllString(name, " ")
	}
	if strings.Contains(name, "eyJ") {
		name = token.ReplaceAllString(name, " ")
	}
	if !sql && strings.ContainsAny(name, `"'`) {
		name = withoutQuoted(name)
	}
	if !sql && strings.Contains(name, "=") {
		name = queryValue.ReplaceAllString(name, "$1 ")
	}
	return name
}

// escapedQuote returns where the first backslash before a quote is, or -1.
func escapedQuote(text string) int {
	for i := 1; i < len(text); i++ {
		if (text[i] == '\'' || text[i] == '"') && text[i-1] == '\\' {
			return i - 1
		}
	}
	return -1
}

// withoutQuoted removes texts in quotes that are values: arguments, elements, and what follows a
// colon. The keys of JSON stay.
func withoutQuoted(name string) string {
	var b strings.Builder
	for {
		m := quoted.FindStringSubmatchIndex(name)
		if m == nil {
			b.WriteString(name)
			return b.String()
		}
		end := m[5]
		if m[6] < 0 { // no key
			b.WriteString(name[:m[3]])
			b.WriteByte(' ')
		} else {
			b.WriteString(name[:end])
		}
		name = name[end:]
	}
}
