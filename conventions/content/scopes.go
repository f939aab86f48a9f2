// SPDX-License-Identifier: Apache-2.0

package content

import (
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
)

// scopeSource is an instrumentation scope whose keys with content have names that others use for other things.
type scopeSource struct {
	source
	scope string // a glob of the scope's name
}

// scopeSources are keys that are content only in the telemetry of a scope.
var scopeSources = []scopeSource{
	// events is a list of messages in JSON: version 1 of its instrumentation with event_mode='attributes', the default
	// of 0.2 to 1.x. The parameters of a model request have the instructions.
	{source{"Pydantic AI 0.2 to 2.68, models/instrumented.py, capabilities/, embeddings/ and images/instrumented.py, models/decision.py", []string{
		"events", "model_request_parameters.*", "inputs", "embeddings",
		"pydantic_ai.tool.deferral.metadata", "pydantic_ai.decision.answers",
	}}, "pydantic-ai"},
	// Most of them only with share_crew=True.
	{source{"CrewAI 1.15.30, crewai/telemetry/telemetry.py", []string{
		"crew_inputs", "crew_agents", "crew_tasks", "crew_output", "crew_tasks_output", "inputs",
		"formatted_description", "formatted_expected_output", "task_output",
	}}, "crewai.telemetry"},
}

// Scope is an instrumentation scope with keys of its own.
type Scope struct {
	name  glob.Glob
	rules rules
	index int
}

func (p *Policy) addScopes() {
	for i, source := range scopeSources {
		scope := Scope{name: glob.New(source.scope), rules: rules{exact: map[string]*Rule{}}, index: i + 1}
		for _, text := range source.keys {
			rule := newContentRule(text)
			rule.Label = source.scope + ":" + text
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
	if scope == nil || k.Rule != nil {
		return k
	}
	lower := strings.ToLower(key)
	if !matchAny(p.except, lower) {
		k.Rule = scope.rules.find(lower)
	}
	return k
}
