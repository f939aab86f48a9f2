package naming

import (
	"cmp"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// attributeNamespace begins the keys that the convention owns.
const attributeNamespace = "tc."

// AttributeDecision is what becomes of an attribute with one key.
type AttributeDecision struct {
	// Key is the conformant key, or the original where nothing changes.
	Key string
	// Rule is what decided the key.
	Rule Rule
	// Type is the type that the values should have, or empty.
	Type conventions.ValueType
	// Allowed are the only strings the values can be; empty allows all.
	Allowed []string
	// Sensitive says what becomes of the values, or is empty.
	Sensitive conventions.Sensitive
	// AnyValue tells that the values may be what they are.
	AnyValue bool
}

// OtherValue takes the place of a value that is not allowed.
const OtherValue = "other"

// Attribute decides an attribute's key and what its values can be. It returns
// nil where there is nothing to do. A key that is too long is decided as what Shorten
// makes of it.
func (n *Namer) Attribute(owner *System, key string) *AttributeDecision {
	if len(key) <= MaxName {
		return n.attribute(owner, key)
	}
	short := Shorten(key)
	d := n.attribute(owner, short)
	if d == nil {
		d = &AttributeDecision{Key: short, AnyValue: true}
	}
	d.Rule = NameLength
	if d.Sensitive == "" && n.sensitiveKey(key) {
		d.Sensitive, d.AnyValue = n.sensitive, false
	}
	return d
}

// sensitiveKey reports whether the last part of a key says that its values must not travel.
func (n *Namer) sensitiveKey(key string) bool {
	last := lastSegment(key)
	return len(last) <= MaxName && n.sensitiveKeys[snakeCase(last)]
}

func (n *Namer) attribute(owner *System, key string) *AttributeDecision {
	d := AttributeDecision{Key: key, Rule: Conformant}
	deciders := n.deciders(owner)
	for _, system := range deciders {
		d.apply(system.attributes[key])
	}
	// What is renamed to a key that is renamed itself, or has not the form, would
	// change in a second pass.
	for range maxSteps {
		if to := renameOf(deciders, d.Key); to != "" && to != d.Key && to != key {
			d.Key, d.Rule = to, AttributeRename
			continue
		}
		if !needsForm(d.Key) {
			break
		}
		form := attributeForm(d.Key)
		if form == "" {
			d.Key, d.Rule = key, Unnameable
			break
		}
		d.Key, d.Rule = form, AttributeKeyForm
	}
	for _, system := range deciders {
		d.apply(system.attributes[d.Key])
	}
	if d.Sensitive == "" && (n.sensitiveKey(key) || n.sensitiveKey(d.Key)) {
		d.Sensitive = n.sensitive
	}
	if len(d.Key) > MaxName {
		d.Key, d.Rule = Shorten(d.Key), NameLength
	}
	d.AnyValue = d.Type == "" && d.Allowed == nil && d.Sensitive == ""
	if d.Rule == Conformant && d.AnyValue {
		return nil
	}
	return &d
}

// renameOf returns what the first system with a rename for a key makes of it.
func renameOf(deciders []*System, key string) string {
	for _, system := range deciders {
		if to := system.attributes[key].Rename; to != "" {
			return to
		}
	}
	return ""
}

// apply takes over what a rule says about values.
func (d *AttributeDecision) apply(rule conventions.AttributeRule) {
	d.Type = cmp.Or(d.Type, rule.Type)
	d.Sensitive = cmp.Or(d.Sensitive, rule.Sensitive)
	if d.Allowed == nil {
		d.Allowed = rule.Allowed
	}
}

// needsForm tells quickly whether a key is in the convention's namespace but
// not in its form, so that attributeForm has something to do.
func needsForm(key string) bool {
	if len(key) <= len(attributeNamespace) || !strings.EqualFold(key[:len(attributeNamespace)], attributeNamespace) {
		return false
	}
	return !conformantKey(key)
}

// attributeForm brings a tc.* key to its form, dots and lower_snake_case:
// TC.sourceType becomes tc.source_type. It returns "" where nothing can be kept.
func attributeForm(key string) string {
	var b strings.Builder
	b.WriteString(attributeNamespace[:len(attributeNamespace)-1])
	for part := range strings.FieldsFuncSeq(key[len(attributeNamespace):], func(r rune) bool { return r == '.' || r == ':' || r == '/' }) {
		if snake := snakeCase(part); snake != "" {
			b.WriteByte('.')
			b.WriteString(snake)
		}
	}
	if b.Len() < len(attributeNamespace) {
		return ""
	}
	return b.String()
}

// conformantKey is ^tc(\.[a-z0-9]+(_[a-z0-9]+)*)+$.
func conformantKey(key string) bool {
	if !strings.HasPrefix(key, attributeNamespace) {
		return false
	}
	for part := range strings.SplitSeq(key[len(attributeNamespace):], ".") {
		if !conformantSnake(part) {
			return false
		}
	}
	return true
}
