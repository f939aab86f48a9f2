// SPDX-License-Identifier: Apache-2.0

package content

import (
	"strings"

	"github.com/otelcol-tc/otelcol-tc/internal/redact"
)

// ScrubFields replaces the values of credentials in a text that has JSON in it, also JSON inside of a text of JSON,
// or a dictionary as Python writes it: {"api_key": "sk-…"}. It is for content that is kept. Names such as token are
// no credentials there: a list of probabilities has one for each token of an answer.
func (p *Policy) ScrubFields(text string) string {
	if p.secrets == Keep {
		return text
	}
	text = p.secret.Scrub(AnyText, text)
	var b strings.Builder
	done := 0
	for colon := strings.IndexByte(text, ':'); colon >= 0; {
		next := colon + 1
		if rule := p.secret.find(fieldBefore(text[done:colon])); rule != nil && !rule.Name {
			if from, to, ok := quotedAfter(text, next); ok && text[from:to] != hidden {
				b.WriteString(text[done:from])
				b.WriteString(hidden)
				done, next = to, to
			}
		}
		after := strings.IndexByte(text[next:], ':')
		if after < 0 {
			break
		}
		colon = next + after
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// fieldBefore returns the name in quotes at the end of a text, or an empty text.
func fieldBefore(text string) string {
	text = strings.TrimRight(text, " \t\r\n")
	if text == "" || text[len(text)-1] != '"' && text[len(text)-1] != '\'' {
		return ""
	}
	quote, text := text[len(text)-1], text[:len(text)-1]
	begin := strings.LastIndexByte(text[max(0, len(text)-redact.MaxKey):], quote)
	if begin < 0 {
		return ""
	}
	name := text[max(0, len(text)-redact.MaxKey)+begin+1:]
	return strings.TrimRight(name, `\`)
}

// quotedAfter returns where the text in quotes is that follows a position. The quotes are escaped if it is JSON inside
// of a text. A quote that is never closed, because the text was cut, reaches to its end.
func quotedAfter(text string, at int) (from, to int, ok bool) {
	for at < len(text) && isSpace(text[at]) {
		at++
	}
	from = at
	for from < len(text) && text[from] == '\\' {
		from++
	}
	if from == len(text) || text[from] != '"' && text[from] != '\'' {
		return 0, 0, false
	}
	from++
	quote := text[at:from]
	for to = from; to < len(text); to++ {
		end := strings.Index(text[to:], quote)
		if end < 0 {
			return from, len(text), true
		}
		if to += end; !escaped(text[from:to], len(quote)) {
			return from, to, true
		}
	}
	return from, len(text), true
}

// escaped reports whether what follows a text is escaped by it, where a quote with its own backslashes has a length:
// inside of a text in JSON each backslash is two.
func escaped(text string, quote int) bool {
	backslashes := len(text) - len(strings.TrimRight(text, `\`))
	return backslashes/quote%2 == 1
}
