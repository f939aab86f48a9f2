// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"fmt"
	"slices"

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
func (n *Namer) MetricSources(owner *System, name string) []Source {
	by := &trail{}
	n.metric(owner, name, by)
	return by.all
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
func (n *Namer) SpanSources(ctx Context, facts Facts, name string) []Source {
	by := &trail{}
	n.span(ctx, facts, name, by)
	return by.all
}

// AttributeSources returns the rules that decide about an attribute, in the order in which they apply.
func (n *Namer) AttributeSources(owner *System, key string) []Source {
	by := &trail{}
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
				by.add(system, "attributes", i)
			}
		}
	}
	return by.all
}

// trail is the rules that decided, each once. Decisions record them if they are asked to.
type trail struct{ all []Source }

// add adds the rule of a key of a system's pack.
func (t *trail) add(system *System, key ...any) {
	same := func(o Source) bool { return o.System == system && slices.Equal(o.Key, key) }
	if !slices.ContainsFunc(t.all, same) {
		t.all = append(t.all, Source{system, key})
	}
}
