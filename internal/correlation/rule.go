package correlation

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
)

// Rule is a rule as all processors see it, whichever signal they are for: they have to
// come to the same keys.
type Rule struct {
	*linking.Rule
	// Scope is what the rule and the processor's setting say together.
	Scope []string
	// Own tells that the rule is the processor's, and not of a pack.
	Own bool
}

// LoadRules returns the rules of a processor's settings rules, packs and scope. Errors name
// the setting and its value.
func LoadRules(rules, packs []any, scope []string) ([]*Rule, error) {
	loaded, err := conventions.Load(packs)
	if err != nil {
		return nil, err
	}
	own, err := conventions.LinkRules("rules", rules)
	if err != nil {
		return nil, err
	}
	return Rules(own, loaded, scope), nil
}

// Rules returns a processor's own rules and those of packs. Of several of one name the
// first is meant, so that an own rule replaces a pack's.
func Rules(own []linking.Rule, packs []*conventions.Pack, scope []string) []*Rule {
	var rules []*Rule
	add := func(all []linking.Rule, isOwn bool) {
		for i := range all {
			rule := &Rule{Rule: &all[i], Scope: slices.Clone(all[i].Scope), Own: isOwn}
			for _, key := range scope {
				if !slices.Contains(rule.Scope, key) {
					rule.Scope = append(rule.Scope, key)
				}
			}
			// Two who name the same attributes in another order mean the same.
			slices.Sort(rule.Scope)
			if !slices.ContainsFunc(rules, func(r *Rule) bool { return r.Name == rule.Name }) {
				rules = append(rules, rule)
			}
		}
	}
	add(own, true)
	for _, pack := range packs {
		add(pack.Links, false)
	}
	return rules
}

// The members that a key can have where the rule does not say it.
const (
	maxMembers      = 64
	maxFanInMembers = 1024
)

// Limit is how many members a key of the rule can have.
func (r *Rule) Limit() int {
	switch {
	case r.MaxMembers > 0:
		return r.MaxMembers
	case r.Topology == linking.TopologyFanIn:
		return maxFanInMembers
	default:
		return maxMembers
	}
}

// WindowIn is how far apart spans of the rule can start, by an index that remembers
// its members for a time.
func (r *Rule) WindowIn(index time.Duration) time.Duration {
	if r.Window > 0 {
		return r.Window
	}
	return index
}

// BeginKey begins the key of an item: what scopes it, where its resource's attributes
// come before its own. The value follows by AddValue.
func (r *Rule) BeginKey(w *Writer, attributes, resource pcommon.Map) {
	w.Begin(r.Name)
	for _, key := range r.Scope {
		value, ok := resource.Get(key)
		if !ok {
			value, ok = attributes.Get(key)
		}
		if !ok {
			value = noValue
		}
		w.addAny(value)
	}
}

var noValue = pcommon.NewValueEmpty()
