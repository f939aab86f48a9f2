package spanlinkprocessor

import (
	"context"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata/pref"

	"github.com/otelcol-tc/otelcol-tc/internal/delivery"
)

// deliverer passes on spans that were held. It belongs to the queue's goroutine.
type deliverer struct {
	next consumer.Traces
	left ptrace.Traces // what is left of a delivery that was taken in part
	of   *heldSpan     // the first of that delivery, or nil
}

func (d *deliverer) deliver(ctx context.Context, spans []*heldSpan) error {
	td := ptrace.NewTraces()
	if d.of == spans[0] {
		d.left.CopyTo(td)
	} else {
		td = render(spans)
	}
	// As receivers' data: else the first of several exporters would free it for all, where
	// data are pooled.
	pref.MarkPipelineOwnedTraces(td)
	err := d.next.ConsumeTraces(ctx, td)
	if left, ok := delivery.UnsentTraces(err); ok {
		d.left, d.of = left, spans[0]
	} else if err == nil {
		d.left, d.of = ptrace.Traces{}, nil
	}
	return err
}

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
