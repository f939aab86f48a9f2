package spanlinkprocessor

import (
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// render makes a batch of spans. They stay as they are, for another attempt.
func render(spans []*heldSpan) ptrace.Traces {
	td := ptrace.NewTraces()
	of := map[*origin]ptrace.SpanSlice{}
	for _, h := range spans {
		slice, ok := of[h.origin]
		if !ok {
			slice = h.origin.appendTo(td)
			of[h.origin] = slice
		}
		h.span.CopyTo(slice.AppendEmpty())
	}
	return td
}

// origin is where spans of a batch came from: a resource and a scope without spans.
type origin struct{ empty ptrace.ResourceSpans }

func newOrigin(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans) *origin {
	o := &origin{ptrace.NewResourceSpans()}
	rs.Resource().CopyTo(o.empty.Resource())
	o.empty.SetSchemaUrl(rs.SchemaUrl())
	scope := o.empty.ScopeSpans().AppendEmpty()
	ss.Scope().CopyTo(scope.Scope())
	scope.SetSchemaUrl(ss.SchemaUrl())
	return o
}

// appendTo adds the resource and scope to a batch.
func (o *origin) appendTo(td ptrace.Traces) ptrace.SpanSlice {
	rs := td.ResourceSpans().AppendEmpty()
	o.empty.CopyTo(rs)
	return rs.ScopeSpans().At(0).Spans()
}
