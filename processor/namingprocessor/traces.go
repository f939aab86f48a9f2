// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/decisions"
)

const (
	serviceNameKey     = "service.name"
	serviceInstanceKey = "service.instance.id"
	// operationIDsKey is the attribute for ids in a span's name that no pack has a key for. Its value is
	// an array of strings.
	operationIDsKey = "tc.operation.ids"
)

func (w *walk) traces(td ptrace.Traces) {
	w.period = w.decisions.Period()
	for _, rs := range td.ResourceSpans().All() {
		resource := rs.Resource().Attributes()
		service := attributes.Text(resource, serviceNameKey)
		w.service = service
		resourceOwner := w.owner(resource, "")
		w.fitSchemaURL(rs, resourceOwner)
		for _, ss := range rs.ScopeSpans().All() {
			ctx := w.context(resource, service, w.fitScope(ss.Scope(), ss, resourceOwner))
			w.schema = schema{url: ss.SchemaUrl()}
			w.attributes(ss.Scope().Attributes(), ctx.Owner)
			for _, span := range ss.Spans().All() {
				w.item(w.span(ctx, span))
			}
			w.fixSchema(ss, ctx.Owner)
		}
		w.resource(rs, resource, resourceOwner)
	}
}

// span makes one span conformant and reports whether it already was.
func (w *walk) span(ctx *naming.Context, span ptrace.Span) (conformant bool) {
	attrs, name := span.Attributes(), span.Name()
	decision := w.spanDecision(ctx, name, span)
	conformant = w.copiedAttributes(attrs, decision.System)
	for _, event := range span.Events().All() {
		conformant = w.copiedAttributes(event.Attributes(), decision.System) && conformant
		conformant = w.fitName(event.Name(), event.SetName, decision.System) && conformant
	}
	for _, link := range span.Links().All() {
		conformant = w.attributes(link.Attributes(), decision.System) && conformant
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

// spanDecision decides a span's name. Most decisions ask for no facts, or for facts that the span does not have.
func (w *walk) spanDecision(ctx *naming.Context, name string, span ptrace.Span) *decisions.Span {
	decision := w.decisions.KnownSpan(ctx, naming.Facts{}, name, w.period)
	if decision != nil && attributes.SpanFacts(span, decision.Asks) == (naming.Facts{}) {
		return decision
	}
	return w.decisions.Span(ctx, attributes.SpanFacts(span, naming.AsksOf(name)), name, w.period)
}

// contentOfTraces copies fields of content in a batch.
func (w *walk) contentOfTraces(td ptrace.Traces) {
	for _, rs := range td.ResourceSpans().All() {
		resource := rs.Resource().Attributes()
		if !w.startContent(resource) {
			continue
		}
		for _, ss := range rs.ScopeSpans().All() {
			plan := w.p.copies[w.owner(resource, ss.Scope().Name()).Index()]
			for _, span := range ss.Spans().All() {
				w.copyContent(span.Attributes(), plan)
				for _, event := range span.Events().All() {
					w.copyContent(event.Attributes(), plan)
				}
			}
		}
	}
}
