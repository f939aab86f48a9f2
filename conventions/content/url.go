// SPDX-License-Identifier: Apache-2.0

package content

import (
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/redact"
)

// URL is the form of URLs in the values of a key.
type URL = redact.Form

// The forms of package redact, and further ones of telemetry.
const (
	AnyText    = redact.AnyText
	Address    = redact.Address
	Query      = redact.Query
	Connection = redact.Connection
	Pairs      = redact.Pairs
	Name       = redact.Name
	Line       = redact.Line
	// Command is a command line, or the list of its arguments.
	Command = redact.LastForm + 1
	// Any is a value that keeps its URLs.
	Any = redact.LastForm + 2
)

// formKeys are the last words of keys whose values have a form of URLs, joined.
var formKeys = map[URL][]string{
	Address:    {"url", "uri", "path", "target", "referer", "referrer", "location", "href", "redirect", "callback"},
	Query:      {"querystring", "queryparams", "queryargs", "requestargs", "requestparams"},
	Connection: {"connectionstring", "connectionstr", "connstr", "dsn"},
	Line:       {"requestline"},
	// Of semantic-conventions 1.44 process.* and container.*, which the SDKs of Java and Node send with every resource.
	Command: {"commandargs", "commandline", "cmdline"},
}

// wholeKeys are such keys that have another meaning behind other words.
var wholeKeys = map[string]URL{"full": Address, "original": Address, "request": Line}

// urlOf returns the form of URLs in the values of a key.
func urlOf(key string) URL {
	words := redact.Words(key[strings.LastIndexByte(key, '.')+1:])
	key = strings.ToLower(key)
	last := key[strings.LastIndexByte(key, '.')+1:]
	if form, ok := wholeKeys[last]; ok {
		return form
	}
	if len(words) == 0 {
		return AnyText
	}
	word := words[len(words)-1]
	if word == "query" || word == "fragment" {
		if strings.Contains(key, "url") || strings.Contains(key, "uri") || strings.Contains(key, "http") || strings.Contains(key, "raw") {
			return Query
		}
		return AnyText
	}
	if strings.HasSuffix(key, "file.path") || strings.HasSuffix(key, "file_path") {
		return AnyText // of every record and span with the place in the code
	}
	two := strings.Join(words[max(0, len(words)-2):], "")
	for form, ends := range formKeys {
		if slices.Contains(ends, word) || slices.Contains(ends, two) {
			return form
		}
	}
	return AnyText
}

// ScrubURLs removes the user info, the values of secret parameters and the secrets in paths from the URLs in a text. It
// returns a text without any unchanged.
func (p *Policy) ScrubURLs(form URL, text string) string {
	switch {
	case p.secrets == Keep || form == Any:
		return text
	case form == Command:
		return p.command(text, 0)
	}
	return p.secret.Scrub(form, text)
}

// URLRule returns the rule for secrets in URLs.
func (p *Policy) URLRule() *Rule { return p.urlRule }
