// SPDX-License-Identifier: Apache-2.0

package namingprocessor

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/spanfacts"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/known"
	"github.com/otelcol-tc/otelcol-tc/processor/namingprocessor/internal/schema"
)

const (
	serviceNameKey     = "service.name"
	serviceInstanceKey = "service.instance.id"
	// operationIDsKey is the attribute for ids in a span's name that no pack has a key for. Its value is
	// an array of strings.
	operationIDsKey = "tc.operation.ids"
)

func (w *walk) traces(td ptrace.Traces) {
	w.period = w.known.Period()
	for _, rs := range td.ResourceSpans().All() {
		resource := rs.Resource().Attributes()
		service := attributes.Text(resource, serviceNameKey)
		w.service = service
		resourceOwner := w.owner(resource, "")
		w.fitSchemaURL(rs, resourceOwner)
		for _, ss := range rs.ScopeSpans().All() {
			ctx := w.context(resource, service, w.fitScope(ss.Scope(), ss, resourceOwner))
			w.schema = schema.Of(ss.SchemaUrl())
			w.attributes(ss.Scope().Attributes(), ctx.Owner)
			for _, span := range ss.Spans().All() {
				w.item(w.span(ctx, span))
			}
			w.fixSchema(ss, ctx.Owner)
		}
		w.resource(rs, resource, resourceOwner)
	}
	for i := range w.spans {
		w.spans[i].explain()
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

// recentSpan is a span name that this walk has seen in the batch.
type recentSpan struct {
	context  *naming.Context
	facts    naming.Facts // that the decision asks for
	name     string
	decision *known.Span
	items    int64
}

// explain adds the number of items to the row of their decision. It does so once per batch, because
// concurrent batches share the row.
func (r *recentSpan) explain() {
	if r.decision != nil {
		r.decision.Explain.Seen(r.items)
	}
}

// spanDecision decides a span's name. A batch has few distinct names, so a comparison with the recent ones
// usually saves a look-up. Most decisions ask for nothing, so the attributes are read only when one is new
// or asks for them.
func (w *walk) spanDecision(ctx *naming.Context, name string, span ptrace.Span) *known.Span {
	recent := &w.spans[recentSlot(name)]
	if recent.context == ctx && recent.name == name && recent.facts == spanfacts.Of(span, recent.decision.Asks) {
		recent.items++
		return recent.decision
	}
	recent.explain()
	decision := w.known.KnownSpan(ctx, naming.Facts{}, name, w.period)
	if decision == nil || decision.Asks != (naming.Asks{}) {
		decision = w.known.Span(ctx, spanfacts.Of(span, naming.AsksOf(name)), name, w.period)
	}
	*recent = recentSpan{ctx, spanfacts.Of(span, decision.Asks), name, decision, 1}
	return decision
}

const recentSpans = 64

// recentSlot returns the slot of a name, which depends on its length and its last bytes.
func recentSlot(name string) int {
	if name == "" {
		return 0
	}
	return (len(name)*7 ^ int(name[len(name)-1])*5 ^ int(name[len(name)/2])) % recentSpans
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
