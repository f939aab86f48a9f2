// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// Context is what is known of a metric or a span apart from its name.
type Context struct {
	// Owner is the system that owns the resource or the scope, or nil.
	Owner *System
	// Scope is the instrumentation scope's name.
	Scope string
	// Service is the resource's service.name.
	Service string
	// Page means that the owner is that of a scraped page as a whole. A metric that another system owns
	// by name belongs to that one.
	Page bool
}

// httpName matches the name of an HTTP span by the semantic conventions: a method, or a method
// and a route. A sender that knows no route may write the path there, with its query.
var httpName = regexp.MustCompile(`^(GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH|QUERY|HTTP|_OTHER)(?: (/[^\s?#]*)(?:[?#](?s:.*))?)?$`)

// Span decides a span's name by its context and the facts that the decision asks for.
//
// The order is: conformant names, a pack's rules, HTTP names, ASGI, names of the conventions,
// gRPC, names from code, words. Where names are kept, a pack's rules alone apply: see
// Options.Unowned.
func (n *Namer) Span(ctx Context, facts Facts, name string) Decision {
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
	ctx.Owner = ownerBy(ctx.Owner, func() *System { return n.spanOwner(name) })
	d := Decision{Name: name, System: ctx.Owner}
	for _, system := range n.deciders(ctx.Owner) {
		if d.bySpanRules(system, ctx.Scope) {
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
	d.bySpanForm(ctx, facts.Attribute)
	return d
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

// calls reports whether the pack maps the service of a call to a component.
func (s *System) calls(service, name string) bool {
	if s == nil {
		return false
	}
	services := s.pack.Spans.Components.Services
	if m := grpcPath.FindStringSubmatch(name); m != nil && findComponent(services, m[1]) != "" {
		return true
	}
	return findComponent(services, service) != ""
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
func (d *Decision) bySpanForm(ctx Context, call string) {
	rest, ids := d.Name, []string(nil)
	if operator(d.Name) == nil {
		rest, ids = splitIDs(withoutValues(d.Name))
	}
	if d.Asks.Attribute == httpRouteKey {
		call = "" // not a service
	}
	component, operation, rule := parseSpanName(rest, call, ctx.Owner)
	if component == "" {
		component = ctx.component(call)
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

// notOfRoute reports whether no route contains a character.
func notOfRoute(r rune) bool {
	return r == '?' || r == '#' || r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r)
}

// isRoute reports whether a path has neither ids nor values, as a route.
func isRoute(path string) bool {
	rest, ids := splitIDs(Beginning(path, maxDecided))
	return ids == nil && withoutValues(rest) == rest
}

// maxDecided is the number of bytes of a span's name that decide.
const maxDecided = 1 << 10

// bySpanRules applies the first rule of a system that matches, and reports whether there was
// one.
func (d *Decision) bySpanRules(system *System, scope string) bool {
	for _, rule := range system.pack.Spans.Rules {
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
		d.Attributes = placeholderValues(rule.Attributes, rule.Match, groups)
		d.Name, d.Rule, d.IDs = component+"/"+operation, SpanPack, ids
		return true
	}
	return false
}

// fill returns one part of a name: the text itself, or its placeholder's group in PascalCase
// without ids.
func fill(text string, match *regexp.Regexp, groups []string) (part string, ids []string) {
	group, ok := conventions.Placeholder(text).Group()
	if !ok {
		return text, nil
	}
	rest, ids := splitIDs(withoutValues(groups[match.SubexpIndex(group)]))
	return operationOf(rest), ids
}

// placeholderValues returns the attributes that a match fills, sorted by key. A path with ids or values is
// no route.
func placeholderValues(rules map[string]conventions.Placeholder, match *regexp.Regexp, groups []string) []Attribute {
	var filled []Attribute
	for key, text := range rules {
		group, _ := text.Group()
		value := groups[match.SubexpIndex(group)]
		if value != "" && (key != httpRouteKey || isRoute(value)) {
			filled = append(filled, Attribute{key, strings.Clone(value)})
		}
	}
	slices.SortFunc(filled, func(a, b Attribute) int { return strings.Compare(a.Key, b.Key) })
	return filled
}

// component returns the component of a span whose name does not contain it. It comes from the
// pack's list, else from rpc.service, service.name or the scope.
func (ctx Context) component(rpcService string) string {
	if ctx.Owner != nil {
		list := ctx.Owner.pack.Spans.Components
		if c := findComponent(list.Services, rpcService); c != "" {
			return c
		}
		if c := findComponent(list.Scopes, ctx.Scope); c != "" {
			return c
		}
		if list.Default != "" {
			return list.Default
		}
	}
	if c := serviceComponent(rpcService); c != "" {
		return c
	}
	// SDKs set unknown_service if no service name is configured.
	if c := partOrNone(ctx.Service); c != "" && !strings.HasPrefix(ctx.Service, "unknown_service") {
		return c
	}
	if c := partOrNone(lastSegment(ctx.Scope)); c != "" {
		return c
	}
	return "Unknown"
}

func findComponent(rules []conventions.ComponentRule, name string) string {
	if name == "" {
		return ""
	}
	for _, rule := range rules {
		if rule.Match.Match(name) {
			return rule.Component
		}
	}
	return ""
}

// spanOwner returns the system to which a span of this name belongs, or nil.
func (n *Namer) spanOwner(name string) *System {
	for _, s := range n.systems {
		if slices.ContainsFunc(s.pack.Owns.Spans, func(p *regexp.Regexp) bool { return p.MatchString(name) }) {
			return s
		}
	}
	return nil
}

// ConformantSpan reports whether name is <Component>/<Operation>, where each part is
// [A-Z][A-Za-z0-9]*.
func ConformantSpan(name string) bool {
	component, operation, ok := strings.Cut(name, "/")
	return ok && conformantPart(component) && conformantPart(operation)
}

func conformantPart(s string) bool {
	if s == "" || !isUpper(s[0]) {
		return false
	}
	for i := 1; i < len(s); i++ {
		if !isWord(s[i]) {
			return false
		}
	}
	return true
}

// otherOperation replaces the operations above a component's limit.
const otherOperation = "Other"

// The components under which the names of semantic conventions count. No real component has a
// space.
const (
	routeComponent = "HTTP routes"       // and other names of words: an operation and its target
	wordComponent  = "names of one word" // without a component
)

// Admit reports whether a service may have a span name, and whether it has any name of that
// component.
type Admit func(component, operation string) (admitted, known bool)

// Fold applies the limits of a service's span names to a decision. A name above the limit
// becomes <Component>/Other. If the component itself is above the limit, it becomes
// Other/Other. A name of words is reduced to the first, which is an HTTP name's method. Names that
// are kept have no limit.
func (d *Decision) Fold(admit Admit) {
	if d.Keeps {
		return
	}
	if first, _, ok := strings.Cut(d.Name, " "); ok {
		if admitted, _ := admit(routeComponent, d.Name); !admitted {
			d.Name, d.Rule = first, SpanFold
		}
		return
	}
	component, operation, ok := strings.Cut(d.Name, "/")
	if !ok {
		if !d.Asks.Convention {
			return // the method of an HTTP name
		}
		component, operation = wordComponent, d.Name
	}
	if component == otherOperation && operation == otherOperation {
		return
	}
	admitted, known := admit(component, operation)
	switch {
	case admitted:
	case !known || !ok:
		d.Name, d.Rule = otherOperation+"/"+otherOperation, SpanFold
	case operation != otherOperation:
		d.Name, d.Rule = component+"/"+otherOperation, SpanFold
	}
}
