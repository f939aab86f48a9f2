// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// Source is the place of a rule: a key of a pack, such as metrics.rules.3.
type Source struct {
	System *System
	// Key are the names of keys and the indexes of items.
	Key []any
}

// Path returns the key as texts.
func (s Source) Path() []string {
	steps := make([]string, len(s.Key))
	for i, step := range s.Key {
		steps[i] = fmt.Sprint(step)
	}
	return steps
}

// OwnerSources returns what makes the owner of a resource or a scope its owner.
func (n *Namer) OwnerSources(owner *System, attr func(key string) (value string, ok bool), scope string) (all []Source) {
	if !owner.Owned() {
		return nil
	}
	for _, owned := range owner.pack.Owns.Resource {
		value, ok := attr(owned.Key)
		if !ok {
			continue
		}
		for i, g := range owned.Values {
			if g.Match(value) {
				all = append(all, Source{owner, []any{"owns", "resource", owned.Key, i}})
			}
		}
	}
	for i, g := range owner.pack.Owns.Scopes {
		if g.Match(scope) {
			all = append(all, Source{owner, []any{"owns", "scopes", i}})
		}
	}
	return all
}

// MetricSources returns the rules that decide about a metric, in the order in which they apply: what makes
// it a system's, its names, its repairs.
func (n *Namer) MetricSources(owner *System, name string) (all []Source) {
	name = Shorten(name)
	for range maxSteps + 1 {
		d := n.metricStep(owner, name)
		for _, source := range n.metricStepSources(owner, name, d) {
			all = appendSource(all, source)
		}
		if !d.Changed() {
			break
		}
		name = d.Name
	}
	return all
}

func (n *Namer) metricStepSources(owner *System, name string, d Decision) (all []Source) {
	if !owner.Owned() && d.System.Owned() {
		owner = d.System
		for i, g := range owner.pack.Owns.Metrics {
			if g.Match(name) {
				all = append(all, Source{owner, []any{"owns", "metrics", i}})
				break
			}
		}
	}
	deciders := n.deciders(owner)
	for _, system := range deciders {
		rules := system.pack.Metrics.Rules
		for i := range rules {
			if !rules[i].Match.MatchString(name) {
				continue
			}
			all = append(all, Source{system, []any{"metrics", "rules", i}})
			alone := &System{pack: &conventions.Pack{Metrics: conventions.MetricRules{Rules: rules[i : i+1]}}}
			if n.byMetricRules(alone, &Decision{Name: name}) {
				return all
			}
			break
		}
		if _, ok := system.renames[name]; ok {
			return append(all, Source{system, []any{"metrics", "rename", name}})
		}
	}
	if d.Rule != MetricPrefix {
		return all
	}
	for _, system := range deciders {
		for _, p := range system.prefixes {
			if rest, ok := strings.CutPrefix(name, p.from); ok && n.unprefixed(snakeCase(rest)) != "" {
				return append(all, Source{system, []any{"metrics", "prefixes", p.from}})
			}
		}
	}
	return all
}

// UnitSources returns the rule that replaces a unit, if there is one.
func (n *Namer) UnitSources(owner *System, unit string) []Source {
	for _, system := range n.deciders(owner) {
		if ucum, ok := system.pack.Metrics.Units[unit]; ok && ucum != unit {
			return []Source{{system, []any{"metrics", "units", unit}}}
		}
	}
	return nil
}

// GaugeSources returns the rule for the aggregate of gauges of a name, if there is one. The names are
// those before and after naming.
func (n *Namer) GaugeSources(owner *System, original, name string) []Source {
	names := []string{original, name, n.written(name)}
	for _, system := range n.deciders(owner) {
		for i, rule := range system.pack.Metrics.Gauges {
			if slices.ContainsFunc(names, rule.Match.Match) {
				return []Source{{system, []any{"metrics", "gauges", i}}}
			}
		}
	}
	return nil
}

// SpanSources returns the rules that decide a span's name, in the order in which they apply.
func (n *Namer) SpanSources(ctx Context, facts Facts, name string) (all []Source) {
	if ConformantSpan(name) {
		return nil
	}
	name = Beginning(name, maxDecided)
	owner := ctx.Owner
	if by := ownerBy(owner, func() *System { return n.spanOwner(name) }); by != owner {
		owner = by
		for i, pattern := range owner.pack.Owns.Spans {
			if pattern.MatchString(name) {
				all = append(all, Source{owner, []any{"owns", "spans", i}})
				break
			}
		}
	}
	for _, system := range n.deciders(owner) {
		rules := system.pack.Spans.Rules
		for i := range rules {
			alone := &System{pack: &conventions.Pack{Spans: conventions.SpanRules{Rules: rules[i : i+1]}}}
			if d := (Decision{Name: name}); d.bySpanRules(alone, ctx.Scope) {
				return append(all, Source{system, []any{"spans", "rules", i}})
			}
		}
	}
	if owner.Owned() {
		ctx.Owner = owner
		all = append(all, n.componentSources(ctx, facts, name)...)
	}
	return all
}

// changedComponent is a component that no span has.
const changedComponent = "ChangedByComponentSources"

// componentSources returns the rule that a span's component comes from, if there is one. It is the rule
// whose component would be the span's if it were another one.
func (n *Namer) componentSources(ctx Context, facts Facts, name string) []Source {
	owner, list := ctx.Owner, ctx.Owner.pack.Spans.Components
	decides := func(changed conventions.Components) bool {
		pack, system := *owner.pack, *owner
		pack.Spans.Components, system.pack = changed, &pack
		ctx.Owner = &system
		d := n.Span(ctx, facts, name)
		component, _, _ := strings.Cut(d.Name, "/")
		return component == changedComponent
	}
	for i := range list.Services {
		changed := list
		changed.Services = slices.Clone(list.Services)
		changed.Services[i].Component = changedComponent
		if decides(changed) {
			return []Source{{owner, []any{"spans", "components", "services", i}}}
		}
	}
	for i := range list.Scopes {
		changed := list
		changed.Scopes = slices.Clone(list.Scopes)
		changed.Scopes[i].Component = changedComponent
		if decides(changed) {
			return []Source{{owner, []any{"spans", "components", "scopes", i}}}
		}
	}
	changed := list
	changed.Default = changedComponent
	if list.Default != "" && decides(changed) {
		return []Source{{owner, []any{"spans", "components", "default"}}}
	}
	return nil
}

// AttributeSources returns the rules that decide about an attribute, in the order in which they apply.
func (n *Namer) AttributeSources(owner *System, key string) (all []Source) {
	deciders := n.deciders(owner)
	keys := []string{Shorten(key)}
	if d := n.Attribute(owner, key); d != nil {
		keys = append(keys, d.Key)
	}
	for i := 0; i < len(keys) && len(keys) <= maxSteps; i++ {
		if to := renameOf(deciders, keys[i]); to != "" && !slices.Contains(keys, to) {
			keys = append(keys, to)
		}
	}
	for _, key := range keys {
		for _, system := range deciders {
			i := slices.IndexFunc(system.pack.Attributes, func(r conventions.AttributeRule) bool { return r.Key == key })
			if i >= 0 {
				all = appendSource(all, Source{system, []any{"attributes", i}})
			}
		}
	}
	return all
}

// appendSource appends a source that is not there yet.
func appendSource(all []Source, source Source) []Source {
	same := func(s Source) bool { return s.System == source.System && slices.Equal(s.Key, source.Key) }
	if slices.ContainsFunc(all, same) {
		return all
	}
	return append(all, source)
}
