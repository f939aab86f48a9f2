package namingprocessor

import (
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
			ctx := w.context(resource, service, ss.Scope().Name())
			w.attributes(ss.Scope().Attributes(), w.containers.of(ctx.Owner))
			for _, span := range ss.Spans().All() {
				w.item(w.span(ctx, span))
			}
		}
		// Last, because the packs know their resources by the original keys.
		w.attributes(resource, w.containers.of(resourceOwner))
	}
}

// span makes one span conformant and tells whether it was already.
func (w *walk) span(ctx *naming.Context, span ptrace.Span) (conformant bool) {
	attrs, name := span.Attributes(), span.Name()
	rpcService := ""
	if !naming.ConformantSpan(name) {
		rpcService = text(attrs, rpcServiceKey)
	}
	decision := w.decisions.span(ctx, rpcService, name)
	decision.explain.seen()
	conformant = w.attributes(attrs, w.items.of(decision.System))
	for _, event := range span.Events().All() {
		conformant = w.attributes(event.Attributes(), w.parts.of(decision.System)) && conformant
	}
	for _, link := range span.Links().All() {
		conformant = w.attributes(link.Attributes(), w.parts.of(decision.System)) && conformant
	}
	if !decision.Changed() {
		return conformant
	}
	w.fill(attrs, decision.Attributes, decision.System)
	if len(decision.IDs) > 0 {
		if _, ok := attrs.Get(operationIDsKey); !ok {
			ids := attrs.PutEmptySlice(operationIDsKey)
			for _, id := range decision.IDs {
				value := ids.AppendEmpty()
				value.SetStr(id)
				w.fitValue(value, decision.System)
			}
		}
	}
	w.keep(attrs, name, decision.System)
	span.SetName(decision.Name)
	w.change(decision.Rule, decision.System)
	return false
}
