// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Span decides a span's name by its context and the facts that the decision asks for.
//
// The order is: conformant names, a pack's rules, HTTP names, ASGI, names of the conventions,
// gRPC, names from code, words. Where names are kept, a pack's rules alone apply: see
// Options.Unowned.
func (n *Namer) Span(ctx Context, facts Facts, name string) Decision {
	return n.span(ctx, facts, name, nil)
}

// span is Span that records the rules that decide.
func (n *Namer) span(ctx Context, facts Facts, name string, by *trail) Decision {
	if ConformantSpan(name) {
		d := Decision{Name: name, Rule: Conformant, System: ctx.Owner}
		if !n.repairs(ctx.Owner).Spans {
			d.keep()
		}
		if d.Name = shortenSpan(name); d.Name != name {
			d.Rule = NameLength
		}
		return d
	}
	// For a longer name, only the beginning decides. The copy does not keep the rest in memory.
	original := name
	if len(name) > maxDecided {
		name = strings.Clone(Beginning(name, maxDecided))
	}
	stated := ctx.Owner
	ctx.Owner = ownerBy(ctx.Owner, func() *System { return n.spanOwner(name) })
	if by != nil && ctx.Owner != stated {
		by.add(ctx.Owner, "owns", "spans", slices.IndexFunc(ctx.Owner.pack.Owns.Spans, func(p *regexp.Regexp) bool { return p.MatchString(name) }))
	}
	d := Decision{Name: name, System: ctx.Owner}
	for _, system := range n.deciders(ctx.Owner) {
		if d.bySpanRules(system, ctx.Scope, by) {
			return d
		}
	}
	if !n.repairs(ctx.Owner).Spans {
		d.keep()
		d.shortened(original)
		return d
	}
	if d.byRoute(facts.Attribute, original) {
		return d
	}
	if d.bySpanMessage() || d.Asks.Attribute == "" && d.byConvention(facts, original) {
		return d
	}
	d.bySpanForm(ctx, facts.Attribute, by)
	return d
}

// MappedSpan returns the name of a span that a pack has a rule for. The rule takes parts out of it, and part returns what
// replaces each. A name with more than some words outside its parts is not ok.
func (n *Namer) MappedSpan(name string, part func(string) string) (mapped string, ok bool) {
	for _, system := range n.systems {
		for _, rule := range system.pack.Spans.Rules {
			groups := rule.Match.FindStringSubmatchIndex(name)
			if groups == nil {
				continue
			}
			var clean, outside strings.Builder
			done := 0
			for i := 2; i < len(groups); i += 2 {
				if from, to := groups[i], groups[i+1]; from >= done {
					outside.WriteString(name[done:from])
					clean.WriteString(name[done:from] + part(name[from:to]))
					done = to
				}
			}
			outside.WriteString(name[done:])
			clean.WriteString(name[done:])
			const fewWords = 4
			words := 0
			for word := range strings.FieldsSeq(outside.String()) {
				if strings.ContainsFunc(word, unicode.IsLetter) {
					words++
				}
			}
			return clean.String(), words <= fewWords
		}
	}
	return name, false
}

// shortened decides that a name stays, but for its length.
func (d *Decision) shortened(name string) {
	if d.Name = Shorten(name); d.Name != name {
		d.Rule = NameLength
	}
}

// byConvention keeps the name of a span whose attributes say that it is one of the semantic
// conventions, and reports whether it did. A name with values is none. A call to a service that
// the pack maps to a component has the name of that component.
func (d *Decision) byConvention(facts Facts, original string) bool {
	d.Asks = Asks{Attribute: rpcServiceKey, Convention: true}
	if !facts.Convention || d.System.calls(facts.Attribute, d.Name) {
		return false
	}
	short := Shorten(original)
	if original == "" || strings.TrimSpace(short) != short || withoutValues(short) != short {
		return false
	}
	d.Rule = Exempt
	d.shortened(original)
	return true
}

// bySpanMessage decides the name of a message of an ASGI server, and reports whether it is one.
func (d *Decision) bySpanMessage() bool {
	m := asgiName.FindStringSubmatch(d.Name)
	if m == nil {
		return false
	}
	d.Name, d.Rule = pascalCase(m[2])+"/"+pascalCase(m[3]), SpanText
	if m[1] != "" && isRoute(m[1]) {
		d.Attributes = []Attribute{{httpRouteKey, strings.Clone(m[1])}}
	}
	return true
}

// bySpanForm decides a name by its form alone. Call is the attribute that the decision asks for.
func (d *Decision) bySpanForm(ctx Context, call string, by *trail) {
	rest, ids := d.Name, []string(nil)
	if operator(d.Name) == nil {
		rest, ids = splitIDs(withoutValues(d.Name))
	}
	if d.Asks.Attribute == httpRouteKey {
		call = "" // not a service
	}
	component, operation, rule := parseSpanName(rest, call, ctx.Owner, by)
	if component == "" {
		component = ctx.component(call, by)
	}
	if operation == "" {
		operation = "Unnamed"
	}
	d.Name, d.Rule, d.IDs = component+"/"+operation, rule, ids
}

// byRoute decides the name of an HTTP span, and reports whether it could. The route of the span
// replaces its path. Without a route, a path without ids and values stays.
func (d *Decision) byRoute(route, original string) bool {
	if !httpName.MatchString(d.Name) { // the beginning of a long one
		return false
	}
	m := httpName.FindStringSubmatch(original)
	if m == nil {
		return false
	}
	name, path := original, m[2]
	if path != "" {
		d.Asks.Attribute = httpRouteKey
		if route == "" || strings.ContainsFunc(route, notOfRoute) || email.MatchString(route) {
			if !isRoute(path) {
				return false
			}
		} else {
			path = "/" + strings.TrimPrefix(route, "/")
		}
		name = m[1] + " " + path
	}
	d.Name, d.Rule = shortenRoute(name), SpanRoute
	switch {
	case d.Name == original:
		d.Rule = Exempt
	case d.Name != name:
		d.Rule = NameLength
	}
	return true
}

// bySpanRules applies the first rule of a system that matches, and reports whether there was
// one.
func (d *Decision) bySpanRules(system *System, scope string, by *trail) bool {
	for i, rule := range system.pack.Spans.Rules {
		if rule.Scope != nil && !rule.Scope.Match(scope) {
			continue
		}
		groups := rule.Match.FindStringSubmatch(d.Name)
		if groups == nil {
			continue
		}
		component, _ := fill(rule.Component, rule.Match, groups)
		operation, ids := fill(rule.Operation, rule.Match, groups)
		if component == "" || operation == "" {
			continue
		}
		if by != nil {
			by.add(system, "spans", "rules", i)
		}
		d.Attributes = placeholderValues(rule.Attributes, rule.Match, groups)
		d.Name, d.Rule, d.IDs = component+"/"+operation, SpanPack, ids
		return true
	}
	return false
}
