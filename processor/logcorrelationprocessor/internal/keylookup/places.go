// SPDX-License-Identifier: Apache-2.0

package keylookup

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// Rule is a rule with the places where log records have its key.
type Rule struct {
	*correlation.Rule
	Places  []Place
	service *glob.Glob // nil: of any
}

// Place is where records have a key: in an attribute, or in the text of the body.
type Place struct {
	Attribute     string
	Normalise     *linking.Normalise // makes the values of logs equal to those of spans
	TraceOnly     bool               // the span of the log is unknown
	before, after string
	several       bool     // values between the two
	tokens        []string // prefixes of tokens of the body; each ends with a byte of before
	textsBefore   []string // of tokens; none: any
}

// NewRule returns a rule with the places of its key in the logs of a service, or of any.
func NewRule(rule *correlation.Rule, keys []linking.LogKey, service *glob.Glob) Rule {
	r := Rule{Rule: rule, service: service}
	for _, key := range keys {
		place := Place{Attribute: key.Attribute, Normalise: cmp.Or(key.Normalise, normaliseOf(rule)), tokens: key.Tokens, textsBefore: key.After, TraceOnly: key.IDs == linking.LogIDsTrace}
		place.before, place.after, place.several = key.BodyAround()
		if len(key.Tokens) > 0 {
			place.before = lastBytes(key.Tokens)
		}
		r.Places = append(r.Places, place)
	}
	return r
}

// Selects reports whether the records of a resource can have the key.
func (r *Rule) Selects(resource pcommon.Map) bool {
	if r.service == nil {
		return true
	}
	service, ok := attributes.Lookup(resource, "service.name")
	return ok && r.service.Match(service)
}

// Owns reports whether the rule's pack owns a resource.
func (r *Rule) Owns(resource pcommon.Map) bool {
	return r.Pack != nil && r.Pack.Owns.Selects(func(key string) (string, bool) { return attributes.Lookup(resource, key) }, "")
}

// lastBytes returns the bytes with which texts end, each once.
func lastBytes(texts []string) string {
	last := ""
	for _, text := range texts {
		if c := text[len(text)-1:]; !strings.Contains(last, c) {
			last += c
		}
	}
	return last
}

func normaliseOf(rule *correlation.Rule) *linking.Normalise {
	switch {
	case rule.Key != nil:
		return &rule.Key.Normalise
	case rule.To != nil && rule.To.Key != nil:
		return &rule.To.Key.Normalise
	case rule.From != nil && rule.From.Key != nil:
		return &rule.From.Key.Normalise
	default:
		return &linking.Normalise{}
	}
}

// Values calls do with each value of the key in a text.
func (k *Place) Values(text string, do func(string)) {
	switch {
	case len(k.tokens) > 0:
		k.eachToken(text, do)
	case k.several:
		if text, ok := after(text, k.before); ok {
			text, _, _ = strings.Cut(text, k.after)
			for value := range strings.SplitSeq(text, ",") {
				do(strings.Trim(value, quotesAndSpace))
			}
		}
	default:
		if text, ok := after(text, k.before); ok {
			if value, ok := valueAt(text, k.after, k.before == ""); ok {
				do(value)
			}
		}
	}
}

// after returns what follows a part of a text. A part that begins with a letter begins a word: rid= is not in grid=.
func after(text, part string) (string, bool) {
	for rest := text; ; {
		at := strings.Index(rest, part)
		if at < 0 {
			return "", false
		}
		end := len(text) - len(rest) + at
		rest = rest[at+len(part):]
		if part == "" || end == 0 || !isWord(part[0]) || !isWord(text[end-1]) {
			return rest, true
		}
	}
}

// quotesAndSpace surround the values of a list.
const quotesAndSpace = " \t'\""

// valueAt returns the value at the beginning of a text. The value ends before the text after, or
// else at its second quote, at a space or at the end, without punctuation. With needsAfter, there is no value without the
// text after.
func valueAt(text, after string, needsAfter bool) (string, bool) {
	if after != "" {
		if value, _, ok := strings.Cut(text, after); ok {
			return value, true
		}
	}
	if text != "" && (text[0] == '\'' || text[0] == '"') {
		value, _, ok := strings.Cut(text[1:], text[:1])
		return value, ok && !needsAfter
	}
	if end := strings.IndexFunc(text, unicode.IsSpace); end >= 0 {
		text = text[:end]
	}
	return strings.TrimRight(text, ".,;:!)"), !needsAfter
}

// eachToken calls do with each token of a text that begins with one of the prefixes. It looks at the bytes with which
// prefixes end, because texts have few of them.
func (k *Place) eachToken(text string, do func(string)) {
	for i := range len(k.before) {
		for from := 0; ; {
			at := strings.IndexByte(text[from:], k.before[i])
			if at < 0 {
				break
			}
			from += at + 1
			if begin, ok := k.tokenBefore(text[:from]); ok {
				from = tokenEnd(text, from)
				do(strings.TrimRight(text[begin:from], ".!"))
			}
		}
	}
}

// tokenBefore returns where the prefix of a token begins that a text ends with.
func (k *Place) tokenBefore(text string) (begin int, ok bool) {
	for _, prefix := range k.tokens {
		before, has := strings.CutSuffix(text, prefix)
		if has && (before == "" || !isWord(before[len(before)-1])) && k.mayFollow(before) {
			return len(before), true
		}
	}
	return 0, false
}

// mayFollow reports whether a token may be behind a text.
func (k *Place) mayFollow(before string) bool {
	return len(k.textsBefore) == 0 || slices.ContainsFunc(k.textsBefore, func(text string) bool { return strings.HasSuffix(before, text) })
}

// tokenEnd returns the end of a token. Two colons are a part of it, and one is not.
func tokenEnd(text string, end int) int {
	for end < len(text) {
		switch c := text[end]; {
		case c == ':' && strings.HasPrefix(text[end:], "::"):
			end += 2
		case c <= ' ' || strings.IndexByte("'\"`,;:=|()[]{}<>\\\x7f", c) >= 0:
			return end
		default:
			end++
		}
	}
	return end
}

// isWord reports whether a token does not begin behind a byte.
func isWord(c byte) bool {
	return c == '-' || c == '_' || c-'0' <= 9 || (c|0x20)-'a' < 26
}
