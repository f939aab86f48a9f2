// SPDX-License-Identifier: Apache-2.0

package content

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/otelcol-tc/otelcol-tc/internal/redact"
)

// URL is the form of URLs in the values of a key.
type URL uint8

const (
	// AnyText may have URLs with a scheme in it.
	AnyText URL = iota
	// Address is a URL, with or without its scheme and host.
	Address
	// Query is the parameters of a URL, without a question mark.
	Query
	// Connection is what a client connects to a database with.
	Connection
	// Name is a name or a message, which may have an Address in it.
	Name
	// Line is a line of a log, which may have URLs with a scheme or with a question mark in it.
	Line
	// Command is a command line, or the list of its arguments.
	Command
	// Any is a value that keeps its URLs.
	Any
)

// addressKeys, queryKeys and connectionKeys are the last parts of keys, in lower case.
var (
	addressKeys = map[string]bool{
		"full": true, "original": true, "path": true, "url": true, "uri": true, "target": true, "referer": true, "location": true,
	}
	queryKeys      = map[string]bool{"query": true, "query_string": true, "fragment": true}
	connectionKeys = map[string]bool{"connection_string": true, "connectionstring": true, "dsn": true}
)

// urlOf returns the form of URLs in the values of a key.
func urlOf(key string) URL {
	last := key[strings.LastIndexByte(key, '.')+1:]
	switch {
	case queryKeys[last] && (strings.Contains(key, "url") || strings.Contains(key, "http")):
		return Query
	case addressKeys[last]:
		return Address
	case connectionKeys[last]:
		return Connection
	case commandKeys[last]:
		return Command
	}
	return AnyText
}

// hidden replaces the value of a parameter, as the semantic conventions say.
const hidden = "REDACTED"

// urls removes secrets from URLs. It is immutable.
type urls struct {
	parameters map[string]bool
	keys       *secrets
	endings    map[[2]byte]bool // the last two letters of all names of secrets
}

func newURLs(further []string, keys *secrets) urls {
	u := urls{map[string]bool{}, keys, map[[2]byte]bool{}}
	add := func(name string) {
		if ending, ok := endingOf(name); ok {
			u.endings[ending] = true
		}
	}
	for _, names := range [][]string{redact.CredentialParameters, further} {
		for _, name := range names {
			u.parameters[strings.ToLower(name)] = true
			add(name)
		}
	}
	for name := range keys.rules {
		add(strings.Join(redact.Words(name), ""))
	}
	return u
}

// endingOf returns the last two letters of a name, in lower case. It is not ok if they are not two letters
// of ASCII that follow each other, or if the name is encoded.
func endingOf(name string) (ending [2]byte, ok bool) {
	if strings.IndexByte(name, '%') >= 0 || strings.IndexByte(name, '+') >= 0 {
		return ending, false
	}
	end := len(name)
	for end > 0 && name[end-1] < utf8.RuneSelf && !isLetter(name[end-1]) {
		end--
	}
	if end < 2 || !isLetter(name[end-1]) || !isLetter(name[end-2]) {
		return ending, false
	}
	const lower = 'a' - 'A'
	return [2]byte{name[end-2] | lower, name[end-1] | lower}, true
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// ScrubURLs removes the user info and the values of secret parameters from the URLs in a text. It returns
// a text without any unchanged.
func (p *Policy) ScrubURLs(form URL, text string) string {
	if p.secrets == Keep || form == Any {
		return text
	}
	if form == Command {
		text, form = p.urls.command(text), AnyText
	}
	return p.urls.scrub(form, text, 0)
}

// URLRule returns the rule for secrets in URLs.
func (p *Policy) URLRule() *Rule { return p.urlRule }

const scheme = "://"

func (u *urls) scrub(form URL, text string, depth int) string {
	if form == AnyText || form == Line {
		if !strings.Contains(text, scheme) && (form == AnyText || strings.IndexByte(text, '?') < 0) {
			return text
		}
	} else if strings.IndexByte(text, '=') < 0 && strings.IndexByte(text, '@') < 0 {
		return u.decoded(text, depth)
	}
	text = withoutUserInfo(text)
	if form == Connection && !strings.Contains(text, scheme) {
		return u.connection(text)
	}
	if !strings.Contains(text, "=") {
		return text
	}
	return u.parametersOf(form, text, depth)
}

// withoutUserInfo removes the user info of the URLs in a text, also of one that begins with its host.
func withoutUserInfo(text string) string {
	if strings.HasPrefix(text, "//") {
		return redact.URLs(":" + text)[1:]
	}
	return redact.URLs(text)
}

const (
	// separators come before the name of a parameter.
	separators = "?&;#"
	// ampersand is how JSON can have one.
	ampersand = `\u0026`
	// spaces end a URL in a text.
	spaces = " \t\r\n\v\f\"'<>`"
	// maxDepth is how often values of parameters are decoded, because a value can be a URL itself.
	maxDepth = 3
)

// parametersOf replaces the values of secret parameters, wherever they are in a text.
func (u *urls) parametersOf(form URL, text string, depth int) string {
	var b strings.Builder
	done, next := 0, 0 // the lengths of what b has and of what was read
	var part urlPart
	for {
		i := strings.IndexByte(text[next:], '=')
		if i < 0 {
			break
		}
		equals := next + i
		name, ok := parameterName(form, text, next, equals)
		next = equals + 1
		if !ok || !part.reaches(form, text, equals) {
			continue
		}
		secret := u.secret(name)
		end := valueEnd(text, next, secret)
		value := text[next:end]
		clean := u.value(secret, value, depth)
		if clean != value {
			b.WriteString(text[done:next])
			b.WriteString(clean)
			done = end
		}
		next = end
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// parameterName returns the name before an equals sign. Without a separator before it, it is only a
// parameter if it begins a query.
func parameterName(form URL, text string, from, equals int) (name string, ok bool) {
	before := text[from:equals]
	i, escaped := strings.LastIndexAny(before, separators+spaces), -1
	if strings.IndexByte(before, '\\') >= 0 {
		escaped = strings.LastIndex(before, ampersand)
	}
	switch {
	case escaped > i:
		name, ok = before[escaped+len(ampersand):], true
	case i >= 0:
		name, ok = before[i+1:], strings.IndexByte(separators, before[i]) >= 0
	default:
		name, ok = before, from == 0 && form == Query
	}
	return name, ok && name != ""
}

// urlPart is how much of a text was read, and whether the end of that is part of a URL.
type urlPart struct {
	read int
	in   bool
}

// reaches reads on, up to end, and reports whether that is in a URL: in any text one with a scheme, and in
// a line of a log one with parameters too, and in a name one with a path or parameters, since names such as
// cache;key=5 have none. Every byte is read once: a hostile text can have as many parameters as it has bytes.
func (p *urlPart) reaches(form URL, text string, end int) bool {
	if form != AnyText && form != Name && form != Line {
		return true
	}
	start := p.read
	if i := strings.LastIndexAny(text[start:end], spaces); i >= 0 {
		p.in, start = false, start+i+1
	}
	p.in = p.in || strings.Contains(text[max(0, start-len(scheme)+1):end], scheme) ||
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
		switch c := text[i]; {
		case c == '&' || c == '#' || c == '?' && !secret || strings.IndexByte(spaces, c) >= 0:
			return i
		case c == '\\' && strings.HasPrefix(text[i:], ampersand):
			return i
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
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("_-.%[]", c) >= 0:
		default:
			return false
		}
	}
	return false
}

// value returns what is left of the value of a parameter.
func (u *urls) value(secret bool, value string, depth int) string {
	if value == "" || value == hidden {
		return value
	}
	if secret {
		return hidden
	}
	return u.decoded(value, depth)
}

// decoded removes the secrets of a value that is encoded, and can be a URL itself. It returns a value
// without any unchanged.
func (u *urls) decoded(value string, depth int) string {
	if depth == maxDepth || strings.IndexByte(value, '%') < 0 {
		return value
	}
	decoded, err := url.QueryUnescape(value)
	if err != nil || decoded == value {
		return value
	}
	if clean := u.scrub(Query, decoded, depth+1); clean != decoded {
		return url.QueryEscape(clean)
	}
	return value
}

// secret reports whether a parameter has a secret. Most names are known not to by their last letters.
func (u *urls) secret(name string) bool {
	if ending, ok := endingOf(name); ok && !u.endings[ending] {
		return false
	}
	if len(name) > redact.MaxKey {
		name = name[len(name)-redact.MaxKey:]
	}
	if decoded, err := url.QueryUnescape(name); err == nil {
		name = decoded
	}
	name = strings.ToLower(name)
	return u.parameters[name] || u.keys.find(name) != nil
}

// connection replaces the secrets of a connection string without a scheme: user:secret@host, or keywords
// such as Server=db;Password=secret and host=db password=secret.
func (u *urls) connection(text string) string {
	if at := strings.LastIndexByte(text, '@'); at >= 0 && !strings.Contains(text[:at], "=") {
		return hidden + text[at:]
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
		if name = name[strings.LastIndexAny(name, " \t")+1:]; u.secret(name) || name == "" {
			b.WriteString(hidden)
		} else {
			b.WriteString(text[equals+1 : end])
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
