// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"cmp"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// AttributeDecision is the decision on the attributes with one key.
type AttributeDecision struct {
	// Key is the conformant key, or the original if nothing changes.
	Key string
	// Rule is the kind of rule that decided the key.
	Rule Rule
	// Type is the required type of the values, or empty.
	Type conventions.ValueType
	// Allowed are the only allowed strings. Nil allows all.
	Allowed []string
	// Sensitive is what happens to the values, or empty.
	Sensitive conventions.Sensitive
	// AnyValue means that no rule restricts the values.
	AnyValue bool
}

// OtherValue replaces a value that is not allowed.
const OtherValue = "other"

// Attribute decides an attribute's key and the rules for its values. It returns nil if nothing
// changes. A key longer than MaxName is shortened first. Where keys are kept, the rules of packs
// and the limit of lengths alone apply: see Options.Unowned.
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
	return d
}

func (n *Namer) attribute(owner *System, key string) *AttributeDecision {
	d := AttributeDecision{Key: key, Rule: Conformant}
	deciders, repairs := n.deciders(owner), n.repairs(owner).Attributes
	for _, system := range deciders {
		d.apply(system.attributes[key])
	}
	// The new key may be renamed itself, or may need a conversion to the form. Without the
	// loop, a second decision would change it again.
	for range maxSteps {
		if to := renameOf(deciders, d.Key); to != "" && to != d.Key && to != key {
			d.Key, d.Rule = to, AttributeRename
			continue
		}
		if !repairs || !needsForm(d.Key) {
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
	if len(d.Key) > MaxName {
		d.Key, d.Rule = Shorten(d.Key), NameLength
	}
	d.AnyValue = d.Type == "" && d.Allowed == nil && d.Sensitive == ""
	if d.Rule == Conformant && d.AnyValue {
		return nil
	}
	return &d
}

func renameOf(deciders []*System, key string) string {
	for _, system := range deciders {
		if to := system.attributes[key].Rename; to != "" {
			return to
		}
	}
	return ""
}

// apply adds a rule's restrictions of the values. Earlier rules have priority.
func (d *AttributeDecision) apply(rule conventions.AttributeRule) {
	d.Type = cmp.Or(d.Type, rule.Type)
	d.Sensitive = cmp.Or(d.Sensitive, rule.Sensitive)
	if d.Allowed == nil {
		d.Allowed = rule.Allowed
	}
}
