package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
)

const (
	serviceNameKey = "service.name"
	rpcServiceKey  = "rpc.service"
	// operationIDsKey holds the ids found in a span's name that no pack has a
	// key for, as an array of strings.
	operationIDsKey = "tc.operation.ids"
)

func (w *walk) traces(td ptrace.Traces) {
	for _, rs := range td.ResourceSpans().All() {
		resource := rs.Resource().Attributes()
		service := text(resource, serviceNameKey)
		resourceOwner := w.owner(resource, "")
		for _, ss := range rs.ScopeSpans().All() {
			scope := ss.Scope().Name()
			owner := w.owner(resource, scope)
			ctx := w.decisions.context(naming.SpanContext{Owner: owner, Scope: scope, Service: service})
			w.attributes(ss.Scope().Attributes(), owner)
			for _, span := range ss.Spans().All() {
				w.item(w.span(ctx, span))
			}
		}
		// Last, because the packs know their resources by the original keys.
		w.attributes(resource, resourceOwner)
	}
}

// span makes one span conformant and tells whether it was already.
func (w *walk) span(ctx *naming.SpanContext, span ptrace.Span) (conformant bool) {
	attrs := span.Attributes()
	name, system := span.Name(), ctx.Owner
	conformant = true
	var decision *naming.Decision
	if !naming.ConformantSpan(name) {
		decision = w.decisions.span(ctx, text(attrs, rpcServiceKey), name)
		system = decision.System
		conformant = !decision.Changed()
	}

	conformant = w.attributes(attrs, system) && conformant
	for _, event := range span.Events().All() {
		conformant = w.attributes(event.Attributes(), system) && conformant
	}
	for _, link := range span.Links().All() {
		conformant = w.attributes(link.Attributes(), system) && conformant
	}

	if decision != nil && decision.Changed() {
		w.rename(span, decision)
	}
	return conformant
}

// rename gives a span its name, and moves the values that were in the old one
// into attributes. An attribute that the span has is left as it is.
func (w *walk) rename(span ptrace.Span, decision *naming.Decision) {
	attrs := span.Attributes()
	for _, a := range decision.Attributes {
		if _, ok := attrs.Get(a.Key); !ok {
			attrs.PutStr(a.Key, a.Value)
		}
	}
	if len(decision.IDs) > 0 {
		if _, ok := attrs.Get(operationIDsKey); !ok {
			ids := attrs.PutEmptySlice(operationIDsKey)
			for _, id := range decision.IDs {
				ids.AppendEmpty().SetStr(id)
			}
		}
	}
	w.keep(attrs, span.Name())
	span.SetName(decision.Name)
	w.change(decision.Rule, decision.System)
}

// keep remembers the name that is replaced. The first original stays, should
// another collector have replaced a name already. An empty name is not worth
// an attribute.
func (w *walk) keep(attrs pcommon.Map, original string) {
	if !w.keepOriginal || original == "" {
		return
	}
	if _, ok := attrs.Get(originalNameKey); !ok {
		attrs.PutStr(originalNameKey, original)
	}
}

// text is a string attribute's value, or empty.
func text(attrs pcommon.Map, key string) string {
	if v, ok := attrs.Get(key); ok && v.Type() == pcommon.ValueTypeStr {
		return v.Str()
	}
	return ""
}
