package naming

import (
	"regexp"
	"slices"
	"strings"

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
}

// httpName matches the name of an HTTP span by the semantic conventions: a method, or a method
// and a route.
var httpName = regexp.MustCompile(`^(?:GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH|QUERY|HTTP|_OTHER)(?: /\S*)?$`)

// Span decides a span's name. RPCService is the span's rpc.service, or empty.
//
// The order is: conformant names, a pack's rules, HTTP names, gRPC, names from code, words.
func (n *Namer) Span(ctx Context, rpcService, name string) Decision {
	if ConformantSpan(name) {
		d := Decision{Name: shortenSpan(name), Rule: Conformant, System: ctx.Owner, AnyRPCService: true}
		if d.Name != name {
			d.Rule = NameLength
		}
		return d
	}
	// For a longer name, only the beginning decides. The copy does not keep the rest in memory.
	original := name
	if len(name) > maxDecided {
		name = strings.Clone(Beginning(name, maxDecided))
	}
	if ctx.Owner == nil {
		ctx.Owner = n.spanOwner(name)
	}
	d := Decision{Name: name, System: ctx.Owner}
	for _, system := range n.deciders(ctx.Owner) {
		if d.bySpanRules(system, ctx.Scope) {
			d.AnyRPCService = true
			return d
		}
	}
	rest, ids := splitIDs(name)
	if httpName.MatchString(name) && ids == nil {
		d.Name, d.Rule, d.AnyRPCService = shortenRoute(original), Exempt, true
		if d.Name != original {
			d.Rule = NameLength
		}
		return d
	}
	component, operation, rule := parseSpanName(rest, rpcService, ctx.Owner)
	// A name with dots or colons is not a bare method name.
	d.AnyRPCService = component != "" && strings.ContainsAny(rest, ".:")
	if component == "" {
		component = ctx.component(rpcService)
	}
	if operation == "" {
		operation = "Unnamed"
	}
	d.Name, d.Rule, d.IDs = component+"/"+operation, rule, ids
	return d
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
	rest, ids := splitIDs(groups[match.SubexpIndex(group)])
	return pascalCase(rest), ids
}

// placeholderValues returns the attributes that a match fills, sorted by key.
func placeholderValues(rules map[string]conventions.Placeholder, match *regexp.Regexp, groups []string) []Attribute {
	var filled []Attribute
	for key, text := range rules {
		group, _ := text.Group()
		if value := groups[match.SubexpIndex(group)]; value != "" {
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

// httpComponent is the component under which the routes of a service count. No real component
// has a space.
const httpComponent = "HTTP routes"

// Admit reports whether a service may have a span name, and whether it has any name of that
// component.
type Admit func(component, operation string) (admitted, known bool)

// Fold applies the limits of a service's span names to a decision. A name above the limit
// becomes <Component>/Other. If the component itself is above the limit, it becomes
// Other/Other. An HTTP name is reduced to its method.
func (d *Decision) Fold(admit Admit) {
	if method, _, ok := strings.Cut(d.Name, " "); ok {
		if admitted, _ := admit(httpComponent, d.Name); !admitted {
			d.Name, d.Rule = method, SpanFold
		}
		return
	}
	component, operation, ok := strings.Cut(d.Name, "/")
	if !ok || component == otherOperation && operation == otherOperation {
		return
	}
	admitted, known := admit(component, operation)
	switch {
	case admitted:
	case !known:
		d.Name, d.Rule = otherOperation+"/"+otherOperation, SpanFold
	case operation != otherOperation:
		d.Name, d.Rule = component+"/"+otherOperation, SpanFold
	}
}
