// SPDX-License-Identifier: Apache-2.0

package content

import (
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
)

// Rule is what makes a value content or a secret. Rules are few, and none has text of telemetry.
type Rule struct {
	// Label is the glob of the keys, or the last words of a secret key.
	Label string
	// Secret means that the value is a credential.
	Secret bool
	// LengthKey is the attribute for the length of what was replaced, or empty: the length of a password
	// must not be known.
	LengthKey string
	// Name means that the key is also the label of a metric with names in it.
	Name bool

	index   int
	program bool // it is about a program that writes content into its log
	leafy   bool // the last parts of its keys can be words, numbers and ids
}

// lengthPrefix begins the attributes with the lengths of what was replaced, in bytes.
const lengthPrefix = "tc.content.length."

// newContentRule returns the rule for a glob of keys.
func newContentRule(label string) *Rule {
	return &Rule{Label: label, LengthKey: lengthKey(label), leafy: models().leafy[lastPart(strings.TrimSuffix(strings.ToLower(label), below))]}
}

// lastPart returns the last part of a key that is no number.
func lastPart(key string) string {
	for {
		dot := strings.LastIndexByte(key, '.')
		if last := key[dot+1:]; dot < 0 || strings.Trim(last, "0123456789") != "" {
			return last
		}
		key = key[:dot]
	}
}

// isLeaf reports whether a key of content in lower case is one of a word, a number or an id. What is below arguments
// and results is data of the user.
func (r *Rule) isLeaf(key string) bool {
	if !r.leafy || !models().leaves[lastPart(key)] {
		return false
	}
	for part := range strings.SplitSeq(key, ".") {
		switch part {
		case "arguments", "parameters", "variables", "metadata", "result", "results", "value", "schema", "json_schema":
			return false
		}
	}
	return true
}

// lengthKey returns the length's attribute for the keys of a glob, which is conformant: all keys of a
// glob share it.
func lengthKey(label string) string {
	var b strings.Builder
	b.WriteString(lengthPrefix[:len(lengthPrefix)-1])
	for part := range strings.FieldsFuncSeq(strings.ToLower(label), func(r rune) bool { return r == '.' || r == '*' }) {
		clean := strings.Join(strings.FieldsFunc(part, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }), "_")
		if clean != "" {
			b.WriteByte('.')
			b.WriteString(clean)
		}
	}
	return b.String()
}

// keyGlob matches whole keys in lower case. A text that ends in .* matches the key before it too.
type keyGlob struct{ glob, base glob.Glob }

const below = ".*"

func newKeyGlob(text string) keyGlob {
	text = strings.ToLower(text)
	base, _ := strings.CutSuffix(text, below)
	return keyGlob{glob.New(text), glob.New(base)}
}

func (g keyGlob) match(key string) bool { return g.glob.Match(key) || g.base.Match(key) }

type globRule struct {
	keyGlob
	rule *Rule
}

// rules are the rules for content by key.
type rules struct {
	exact map[string]*Rule // by keys without stars
	globs []globRule
}

// add adds the rule of a glob. The first rule that matches decides.
func (r *rules) add(text string, rule *Rule) {
	base, isBelow := strings.CutSuffix(text, below)
	if !strings.Contains(base, "*") {
		if _, ok := r.exact[base]; !ok {
			r.exact[base] = rule
		}
		if !isBelow {
			return
		}
	}
	r.globs = append(r.globs, globRule{newKeyGlob(text), rule})
}

func (r *rules) find(key string) *Rule {
	if rule, ok := r.exact[key]; ok {
		return rule
	}
	for i := range r.globs {
		if r.globs[i].match(key) {
			return r.globs[i].rule
		}
	}
	return nil
}

func matchAny(globs []keyGlob, key string) bool {
	for i := range globs {
		if globs[i].match(key) {
			return true
		}
	}
	return false
}
