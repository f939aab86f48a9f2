// SPDX-License-Identifier: Apache-2.0

package correlation

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
)

// Rule is a rule as the processors of all signals use it, so that they make the same keys.
type Rule struct {
	*linking.Rule
	// Scope is the fields of the rule's scope and of the processor's setting, sorted.
	Scope []Field
	// Pack is the pack of the rule, or nil for one of the processor's settings.
	Pack *conventions.Pack
}

// LoadRules returns the rules of a processor's settings rules and scope, and of packs. Errors name the
// setting and its value.
func LoadRules(rules []any, packs []*conventions.Pack, scope []string) ([]*Rule, error) {
	own, err := conventions.LinkRules("rules", rules)
	if err == nil {
		err = conventions.CheckHidden("rules", own, packs)
	}
	if err != nil {
		return nil, err
	}
	return Rules(own, packs, scope), nil
}

// Rules returns a processor's own rules and those of packs. Of several with one name it returns
// the first, so that an own rule replaces a pack's.
func Rules(own []linking.Rule, packs []*conventions.Pack, scope []string) []*Rule {
	var rules []*Rule
	add := func(all []linking.Rule, pack *conventions.Pack) {
		for i := range all {
			rule := &Rule{Rule: &all[i], Scope: fields(slices.Concat(all[i].Scope, scope)), Pack: pack}
			if !slices.ContainsFunc(rules, func(r *Rule) bool { return r.Name == rule.Name }) {
				rules = append(rules, rule)
			}
		}
	}
	add(own, nil)
	for _, pack := range packs {
		add(pack.Links, pack)
	}
	return rules
}

// How many members a key can have if the rule does not set it.
const (
	maxMembers      = 64
	maxFanInMembers = 1024
	// Lines are members, too.
	maxProcessMembers = 256
)

// Limit returns how many members a key of the rule can have.
func (r *Rule) Limit() int {
	switch {
	case r.MaxMembers > 0:
		return r.MaxMembers
	case r.Topology == linking.TopologyFanIn:
		return maxFanInMembers
	case r.SameProcess:
		return maxProcessMembers
	default:
		return maxMembers
	}
}

// BeginKey begins the key of an item with the values of the rule's scope. AddValue adds the key's
// value.
func (r *Rule) BeginKey(w *Writer, attributes, resource pcommon.Map) {
	w.Begin(r.Name)
	for i := range r.Scope {
		w.addAny(r.Scope[i].value(attributes, resource))
	}
}

// BeginSplit writes the key by which the index keeps whether requests of an item's scope are split.
func (r *Rule) BeginSplit(w *Writer, attributes, resource pcommon.Map) {
	r.BeginKey(w, attributes, resource)
	w.Add("split")
	w.Add("") // so that no value makes an equal key
}

// StatesSplit reports whether a span states that it is one part of a split request.
func (r *Rule) StatesSplit(attributes pcommon.Map) bool {
	for key, glob := range r.Split {
		if value, ok := attributes.Get(key); ok && !IsNull(value.AsString()) && glob.Match(value.AsString()) {
			return true
		}
	}
	return false
}

// Field is a field of a scope: an attribute, and what older conventions call it.
type Field struct{ key, older string }

// fields returns the fields of some attributes, without repetition. Their order in a setting has no
// meaning, so they are sorted.
func fields(keys []string) []Field {
	var all []Field
	for _, key := range keys {
		name, older := linking.Field(key)
		all = append(all, Field{name, older})
	}
	slices.SortFunc(all, func(a, b Field) int { return cmp.Compare(a.key, b.key) })
	return slices.Compact(all)
}

// value returns the value of the field, which the resource states before the item itself. An item
// without the field has no value. That is a value of its own: it does not stand for every other.
func (f *Field) value(attributes, resource pcommon.Map) pcommon.Value {
	for _, m := range [...]pcommon.Map{resource, attributes} {
		if value, ok := m.Get(f.key); ok {
			return value
		}
		if f.older != "" {
			if value, ok := m.Get(f.older); ok {
				return value
			}
		}
	}
	return noValue
}

var noValue = pcommon.NewValueEmpty()
