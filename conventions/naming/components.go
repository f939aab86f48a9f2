// SPDX-License-Identifier: Apache-2.0

package naming

import (
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
	// Page means that the owner is that of a scraped page as a whole. A metric that another system owns
	// by name belongs to that one.
	Page bool
}

// calls reports whether the pack maps the service of a call to a component.
func (s *System) calls(service, name string) bool {
	if s == nil {
		return false
	}
	if m := grpcPath.FindStringSubmatch(name); m != nil && s.service(m[1], nil) != "" {
		return true
	}
	return s.service(service, nil) != ""
}

// service returns the component to which the pack maps the service of a call, or "".
func (s *System) service(name string, by *trail) string {
	if s == nil {
		return ""
	}
	return findComponent(s, "services", s.pack.Spans.Components.Services, name, by)
}

// component returns the component of a span whose name does not contain it. It comes from the
// pack's list, else from rpc.service, service.name or the scope.
func (ctx Context) component(rpcService string, by *trail) string {
	if ctx.Owner != nil {
		list := ctx.Owner.pack.Spans.Components
		if c := ctx.Owner.service(rpcService, by); c != "" {
			return c
		}
		if c := findComponent(ctx.Owner, "scopes", list.Scopes, ctx.Scope, by); c != "" {
			return c
		}
		if list.Default != "" {
			if by != nil {
				by.add(ctx.Owner, "spans", "components", "default")
			}
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

// findComponent returns the component of the first rule of a list that matches, or "".
func findComponent(system *System, list string, rules []conventions.ComponentRule, name string, by *trail) string {
	if name == "" {
		return ""
	}
	for i, rule := range rules {
		if rule.Match.Match(name) {
			if by != nil {
				by.add(system, "spans", "components", list, i)
			}
			return rule.Component
		}
	}
	return ""
}

// serviceComponent derives a component from a full RPC service name: shop.v1.PaymentService
// becomes Payment.
func serviceComponent(service string) string {
	last := lastSegment(service)
	if short, ok := strings.CutSuffix(last, "Service"); ok && short != "" {
		last = short
	}
	return partOrNone(last)
}

// partOrNone returns the text as a component, or "" if it cannot be one. A text that begins
// with a digit cannot: pascalCase would put the prefix of an operation before it.
func partOrNone(text string) string {
	if text == "" || isDigit(text[0]) {
		return ""
	}
	return pascalCase(text)
}

func lastSegment(dotted string) string {
	return dotted[strings.LastIndexByte(dotted, '.')+1:]
}
