// SPDX-License-Identifier: Apache-2.0

// Package redact removes secrets from what the collector prints, logs and reports. URLs removes the user info of the
// URLs in a text, and Text also the values of query parameters that are secrets. Core does so for a zap logger, and
// Writer for an output stream. Conf, Output and Setting remove secrets from a configuration, which they know by the
// names and the forms of settings.
package redact

import (
	"net/url"
	"strings"
)

// Form is what kind of URL a text is or has.
type Form uint8

const (
	// AnyText may have URLs with a scheme in it.
	AnyText Form = iota
	// Address is a URL, with or without its scheme and host.
	Address
	// Query is the parameters of a URL, without a question mark.
	Query
	// Connection is what a client connects to a database with.
	Connection
	// Pairs are names and values, as in trace state.
	Pairs
	// Name is a name or a message, which may have an Address in it.
	Name
	// Line is a line of a log, which may have URLs with a scheme or with a question mark in it.
	Line
	// LastForm is the last one.
	LastForm = Line
)

// Scrub removes the user info, the values of secret parameters and the secrets in paths from the URLs in a text. It
// returns a text without any unchanged.
func (v *Vocabulary) Scrub(form Form, text string) string { return v.scrub(form, text, 0) }

// Text scrubs a message. Its URLs may lack a scheme.
func Text(text string) string { return standard.Scrub(Line, text) }

// Endpoint scrubs an address. It may lack a scheme, as in user:secret@host.
func Endpoint(address string) string { return standard.Scrub(Connection, address) }

func (v *Vocabulary) scrub(form Form, text string, depth int) string {
	escapes := strings.IndexByte(text, '\\') >= 0
	first := firstScheme(text, escapes)
	if first < 0 && (form == AnyText || form == Line && strings.IndexByte(text, '?') < 0) {
		return text
	}
	text = withoutPathSecrets(form, text, first)
	if strings.IndexByte(text, '=') < 0 && strings.IndexByte(text, '@') < 0 && !escapes {
		if form == AnyText || form == Line {
			return text
		}
		return v.decoded(text, depth)
	}
	text = withoutUserInfo(text)
	if form == Pairs || form == Connection && first < 0 {
		return v.connection(form, text)
	}
	redacted := v.parametersOf(form, text, escapes, depth)
	if redacted != text {
		redacted = withoutUserInfo(redacted) // a value may have had what no URL has, before an @
	}
	return redacted
}

const (
	// separators come before the name of a parameter.
	separators = "?&;#"
	// escapedAmpersand and escapedEquals are how JSON can have these.
	escapedAmpersand, escapedEquals = `\u0026`, `\u003d`
	// spaces end a URL in a text.
	spaces = " \t\r\n\v\f\"'<>`"
	// maxDepth is how often values of parameters are decoded, because a value can be a URL itself.
	maxDepth = 3
)

// byteSet is a set of bytes. A search for them takes a third of the time of strings.IndexAny in texts as short as URLs.
type byteSet [256]bool

var (
	isSpace     = setOf(spaces)
	isBeforeKey = setOf(separators + spaces)
	isEnd       = setOf(`&#?;\` + spaces) // perhaps, of a value
)

func setOf(bytes string) (set byteSet) {
	for _, c := range []byte(bytes) {
		set[c] = true
	}
	return set
}

// last returns where the last byte of the set is in a text, or -1.
func (set *byteSet) last(text string) int {
	for i := len(text) - 1; i >= 0; i-- {
		if set[text[i]] {
			return i
		}
	}
	return -1
}

// nextEquals returns where the next equals sign of a text begins and ends, or -1.
func nextEquals(text string, from int, escapes bool) (begin, end int) {
	if !escapes {
		if i := strings.IndexByte(text[from:], '='); i >= 0 {
			return from + i, from + i + 1
		}
		return -1, -1
	}
	for i := from; i < len(text); i++ {
		switch {
		case text[i] == '=':
			return i, i + 1
		case text[i] == '\\' && strings.HasPrefix(text[i:], escapedEquals):
			return i, i + len(escapedEquals)
		}
	}
	return -1, -1
}

// parametersOf replaces the values of secret parameters, wherever they are in a text.
func (v *Vocabulary) parametersOf(form Form, text string, escapes bool, depth int) string {
	var b strings.Builder
	done, next := 0, 0 // the lengths of what b has and of what was read
	part := urlPart{escapes: escapes}
	for {
		equals, value := nextEquals(text, next, escapes)
		if equals < 0 {
			break
		}
		name, ok := parameterName(form, text, next, equals, escapes)
		next = value
		if !ok || !part.reaches(form, text, equals) {
			continue
		}
		secret := v.isParameter(name)
		next = valueEnd(text, value, secret)
		if clean := v.value(secret, text[value:next], depth); clean != text[value:next] {
			b.WriteString(text[done:value])
			b.WriteString(clean)
			done = next
		}
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// parameterName returns the name before an equals sign. Without a separator before it, it is only a
// parameter if it begins a query.
func parameterName(form Form, text string, from, equals int, escapes bool) (name string, ok bool) {
	before := text[from:equals]
	i, escaped := isBeforeKey.last(before), -1
	if escapes {
		escaped = strings.LastIndex(before, escapedAmpersand)
	}
	switch {
	case escaped > i:
		name, ok = before[escaped+len(escapedAmpersand):], true
	case i >= 0:
		name, ok = before[i+1:], !isSpace[before[i]]
	default:
		name, ok = before, from == 0 && form == Query
	}
	return name, ok && name != ""
}

// urlPart is how much of a text was read, and whether the end of that is part of a URL.
type urlPart struct {
	begin   int // after the last space
	read    int
	in      bool
	escapes bool
}

// reaches reads on, up to end, and reports whether that is in a URL: in any text one with a scheme, and in
// a line of a log one with parameters too, and in a name one with a path or parameters, since names such as
// cache;key=5 have none. Every byte is read once: a hostile text can have as many parameters as it has bytes.
func (p *urlPart) reaches(form Form, text string, end int) bool {
	if form != AnyText && form != Name && form != Line {
		return true
	}
	start := p.read
	if i := isSpace.last(text[start:end]); i >= 0 {
		start += i + 1
		p.in, p.begin = false, start
	}
	const longestScheme = 16 // with its escapes
	p.in = p.in || firstScheme(text[max(p.begin, start-longestScheme):end], p.escapes) >= 0 ||
		form != AnyText && strings.IndexByte(text[start:end], '?') >= 0 ||
		form == Name && strings.IndexByte(text[start:end], '/') >= 0
	p.read = end
	return p.in
}

// valueEnd returns where the value of a parameter ends, which begins at start. A semicolon can be part of
// a value: it ends one only in front of another parameter. A question mark begins the parameters of a URL
// that is the value, if the value is no secret.
func valueEnd(text string, start int, secret bool) int {
	for i := start; i < len(text); i++ {
		if !isEnd[text[i]] {
			continue
		}
		switch c := text[i]; {
		case c == '&' || c == '#' || c == '?' && !secret || isSpace[c]:
			return i
		case c == '\\':
			escaped := strings.TrimLeft(text[i:], `\`)
			if escaped == "" || strings.IndexByte(`"'nrt`, escaped[0]) >= 0 || strings.HasPrefix(escaped, escapedAmpersand[1:]) {
				return i
			}
			i = len(text) - len(escaped) - 1
		case c == ';' && isParameter(text[i+1:]):
			return i
		}
	}
	return len(text)
}

// isParameter reports whether a text begins with a name and an equals sign.
func isParameter(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c == '=':
			return i > 0
		case isLetter(c), c >= '0' && c <= '9', strings.IndexByte("_-.%[]", c) >= 0:
		default:
			return false
		}
	}
	return false
}

// value returns what is left of the value of a parameter.
func (v *Vocabulary) value(secret bool, value string, depth int) string {
	switch {
	case value == "" || value == replacement || secret && StatesFact(value):
		return value
	case secret:
		return replacement
	}
	return v.decoded(value, depth)
}

// decoded removes the secrets of a value that is encoded, and can be a URL itself. It returns a value
// without any unchanged.
func (v *Vocabulary) decoded(value string, depth int) string {
	if depth == maxDepth || strings.IndexByte(value, '%') < 0 {
		return value
	}
	decoded, err := url.QueryUnescape(value)
	if err != nil || decoded == value {
		return value
	}
	if clean := v.scrub(Query, decoded, depth+1); clean != decoded {
		return url.QueryEscape(clean)
	}
	return value
}

// connection replaces the secrets of a connection string without a scheme: user:secret@host, or keywords
// such as Server=db;Password=secret and host=db password=secret.
func (v *Vocabulary) connection(form Form, text string) string {
	if at := strings.LastIndexByte(text, '@'); form == Connection && at >= 0 && !strings.Contains(text[:at], "=") {
		return replacement + v.parametersOf(Address, text[at:], false, 0)
	}
	var b strings.Builder
	for text != "" {
		equals := strings.IndexByte(text, '=')
		if equals < 0 {
			break
		}
		name := strings.TrimSpace(text[strings.LastIndexAny(text[:equals], ";,")+1 : equals])
		end := equals + 1 + connectionValue(text[equals+1:])
		b.WriteString(text[:equals+1])
		if name = name[strings.LastIndexAny(name, " \t")+1:]; v.isParameter(name) || name == "" {
			b.WriteString(replacement)
		} else {
			b.WriteString(v.scrub(AnyText, text[equals+1:end], maxDepth))
		}
		text = text[end:]
	}
	b.WriteString(text)
	return b.String()
}

// connectionValue returns the length of a value: up to its closing quote, a semicolon, or the space
// before the next keyword.
func connectionValue(text string) int {
	if text == "" {
		return 0
	}
	if i := strings.IndexByte(`"'{`, text[0]); i >= 0 {
		return quotedValue(text, `"'}`[i])
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ';':
			return i
		case ' ', '\t', ',':
			rest := strings.TrimLeft(text[i:], " \t,")
			if isParameter(rest) {
				return i
			}
			i = len(text) - len(rest) - 1
		}
	}
	return len(text)
}

// quotedValue returns the length of a value with its quotes. Two closing quotes are one of the value.
func quotedValue(text string, quote byte) int {
	for i := 1; i < len(text); i++ {
		if text[i] != quote {
			continue
		}
		if i+1 == len(text) || text[i+1] != quote {
			return i + 1
		}
		i++
	}
	return len(text)
}
