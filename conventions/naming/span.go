package naming

import (
	"regexp"
	"slices"
	"strings"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// SpanContext is what is known of a span beside its name.
type SpanContext struct {
	// Owner is the system that owns the resource or the scope, or nil.
	Owner *System
	// Scope is the instrumentation scope's name.
	Scope string
	// Service is the resource's service.name.
	Service string
}

// httpName is a semantic-convention name of an HTTP span: a method, or a method
// and a route.
var httpName = regexp.MustCompile(`^(?:GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH|QUERY|HTTP|_OTHER)(?: /\S*)?$`)

// Span decides a span's name. RPCService is the span's rpc.service, or empty.
//
// The order is: what has the form already, a pack's rules, HTTP names, gRPC,
// names from code, words.
func (n *Namer) Span(ctx SpanContext, rpcService, name string) Decision {
	if ConformantSpan(name) {
		return Decision{Name: name, Rule: Conformant, System: ctx.Owner}
	}
	if ctx.Owner == nil {
		ctx.Owner = n.spanOwner(name)
	}
	d := Decision{Name: name, System: ctx.Owner}
	if ctx.Owner != nil && d.bySpanRules(ctx) {
		return d
	}
	rest, ids := splitIDs(name)
	if httpName.MatchString(name) && ids == nil {
		d.Rule = Exempt
		return d
	}
	component, operation, rule := parseSpanName(rest, rpcService, ctx.Owner)
	if component == "" {
		component = ctx.component(rpcService)
	}
	if operation == "" {
		operation = "Unnamed"
	}
	d.Name, d.Rule, d.IDs = component+"/"+operation, rule, ids
	return d
}

// bySpanRules applies the owner's first rule that matches.
func (d *Decision) bySpanRules(ctx SpanContext) bool {
	for _, rule := range ctx.Owner.pack.Spans.Rules {
		if rule.Scope != nil && !rule.Scope.Match(ctx.Scope) {
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
		for key, text := range rule.Attributes {
			if group, _ := text.Group(); groups[rule.Match.SubexpIndex(group)] != "" {
				d.Attributes = append(d.Attributes, Attribute{key, strings.Clone(groups[rule.Match.SubexpIndex(group)])})
			}
		}
		slices.SortFunc(d.Attributes, func(a, b Attribute) int { return strings.Compare(a.Key, b.Key) })
		d.Name, d.Rule, d.IDs = component+"/"+operation, SpanPack, ids
		return true
	}
	return false
}

// fill returns one part of a name: the text itself, or its placeholder's group
// in PascalCase without ids.
func fill(text string, match conventions.Pattern, groups []string) (part string, ids []string) {
	group, ok := conventions.Placeholder(text).Group()
	if !ok {
		return text, nil
	}
	rest, ids := splitIDs(groups[match.SubexpIndex(group)])
	return pascalCase(rest), ids
}

// component is what a span belongs to when its name does not say it: by the
// pack's list, else derived from rpc.service, the scope or service.name.
func (ctx SpanContext) component(rpcService string) string {
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
	// unknown_service is what an SDK says when nobody told it.
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

// spanOwner finds the system whose span names look like this one.
func (n *Namer) spanOwner(name string) *System {
	for _, s := range n.systems {
		if slices.ContainsFunc(s.pack.Owns.Spans, func(p conventions.Pattern) bool { return p.MatchString(name) }) {
			return s
		}
	}
	return nil
}

// ConformantSpan tells whether name is <Component>/<Operation>, each part
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
