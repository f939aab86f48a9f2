// SPDX-License-Identifier: Apache-2.0

package content

import (
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
)

// Scope is an instrumentation scope with keys of its own.
type Scope struct {
	name  glob.Glob
	rules rules
	index int
}

func (p *Policy) addScopes() {
	for i, e := range models().scoped {
		scope := Scope{name: glob.New(e.Scope), rules: rules{exact: map[string]*Rule{}}, index: i + 1}
		for _, text := range names([]entry{e}) {
			rule := newContentRule(text)
			rule.Label = e.Scope + ":" + text
			scope.rules.add(text, p.rule(rule))
		}
		p.scopes = append(p.scopes, scope)
	}
}

// Scope returns what is known about an instrumentation scope, or nil.
func (p *Policy) Scope(name string) *Scope {
	for i := range p.scopes {
		if p.scopes[i].name.Match(name) {
			return &p.scopes[i]
		}
	}
	return nil
}

// Index returns a small number, which no other scope has. A nil Scope has 0.
func (s *Scope) Index() int {
	if s == nil {
		return 0
	}
	return s.index
}

// InScope decides about a key in a scope, which may be nil, where k is the decision about the key elsewhere.
func (p *Policy) InScope(scope *Scope, key string, k Key) Key {
	if scope != nil && k.Rule == nil && !k.Allowed {
		k.Rule = scope.rules.find(strings.ToLower(key))
	}
	return k
}
