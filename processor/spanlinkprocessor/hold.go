package spanlinkprocessor

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/processor/internal/holding"
)

// heldSpan is a span that waits, and what it waits for.
type heldSpan struct {
	origin   *origin
	span     ptrace.Span
	visitors []visitor
	hold     time.Duration
	bytes    int
}

// origin is where spans of a batch came from.
type origin struct {
	resource       pcommon.Resource
	resourceSchema string
	scope          pcommon.InstrumentationScope
	scopeSchema    string
}

func newOrigin(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans) *origin {
	o := &origin{
		resource: pcommon.NewResource(), resourceSchema: rs.SchemaUrl(),
		scope: pcommon.NewInstrumentationScope(), scopeSchema: ss.SchemaUrl(),
	}
	rs.Resource().CopyTo(o.resource)
	ss.Scope().CopyTo(o.scope)
	return o
}

// pending are the spans of a batch that are going to be held, once the rest of it is
// accepted: a sender repeats the whole of a batch that is not.
type pending struct{ spans []*heldSpan }

type pendingKey struct{}

// holder passes spans on and holds those that wait.
type holder struct {
	processor.Traces
	queue *holding.Queue[*heldSpan]
}

// ConsumeTraces implements consumer.Traces.
func (h holder) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	var p pending
	if err := h.Traces.ConsumeTraces(context.WithValue(ctx, pendingKey{}, &p), td); err != nil {
		return err
	}
	for _, s := range p.spans {
		h.queue.Hold(s, s.bytes, s.hold)
	}
	return nil
}

func newQueue(l *linker, set processor.Settings, cfg *Config) *holding.Queue[*heldSpan] {
	return holding.New(holding.Options[*heldSpan]{
		MaxItems: cfg.MaxHeldSpans,
		MaxBytes: cfg.MaxHeldMib << 20,
		Settle:   l.settle,
		Deliver:  func(ctx context.Context, spans []*heldSpan) error { return l.next.ConsumeTraces(ctx, render(spans)) },
		Lost: func(spans int, err error) {
			l.telemetry.builder.SpanLinkLost.Add(context.Background(), int64(spans))
			set.Logger.Error("Spans dropped that were held: the next component does not accept them", zap.Int("spans", spans), zap.Error(err))
		},
		Waits: func(err error) {
			set.Logger.Warn("Spans that were held wait: the next component does not accept them", zap.Error(err))
		},
	})
}

// takeOut moves the spans that wait out of their batch, if there is room for them.
// Otherwise they are decided now.
func (w *walk) takeOut(ctx context.Context, td ptrace.Traces) {
	if len(w.waiting) == 0 {
		return
	}
	held, bytes := w.held()
	p, ok := ctx.Value(pendingKey{}).(*pending)
	if !ok || !w.queue.Accepts(len(held), bytes) {
		w.release(ctx, w.waiting)
		return
	}
	td.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			var from *origin
			ss.Spans().RemoveIf(func(span ptrace.Span) bool {
				h, ok := held[span]
				if !ok {
					return false
				}
				if from == nil {
					from = newOrigin(rs, ss)
				}
				h.moveFrom(span, from)
				p.spans = append(p.spans, h)
				return true
			})
			return from != nil && ss.Spans().Len() == 0
		})
		return rs.ScopeSpans().Len() == 0
	})
}

// held are the spans that wait, with all that they wait for.
func (w *walk) held() (spans map[ptrace.Span]*heldSpan, bytes int) {
	spans = map[ptrace.Span]*heldSpan{}
	for _, i := range w.waiting {
		v := w.visitors[i]
		h := spans[v.span]
		if h == nil {
			h = &heldSpan{bytes: sizeOf(v.span)}
			spans[v.span] = h
			bytes += h.bytes
		}
		h.visitors = append(h.visitors, v)
		h.hold = max(h.hold, v.stage.rule.hold)
		w.counts[v.stage.rule.number].held++
	}
	return spans, bytes
}

// What a span takes beside what it has as OTLP, and how much more that takes in memory.
const (
	heldBytes  = 512
	sizeFactor = 4
)

func sizeOf(span ptrace.Span) int {
	return heldBytes + sizeFactor*(&ptrace.ProtoMarshaler{}).SpanSize(span)
}

// moveFrom moves the span out of its batch.
func (h *heldSpan) moveFrom(span ptrace.Span, from *origin) {
	h.origin, h.span = from, ptrace.NewSpan()
	span.MoveTo(h.span)
	for i := range h.visitors {
		h.visitors[i].span = h.span
	}
}

// settle links spans that are let go.
func (l *linker) settle(ctx context.Context, spans []*heldSpan, _ holding.Reason) {
	w := l.walks.Get().(*walk)
	defer w.end(ctx)
	for _, h := range spans {
		for _, v := range h.visitors {
			w.waiting = append(w.waiting, int32(len(w.visitors)))
			w.visitors = append(w.visitors, v)
		}
	}
	w.release(ctx, w.waiting)
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

func (o *origin) appendTo(td ptrace.Traces) ptrace.SpanSlice {
	rs := td.ResourceSpans().AppendEmpty()
	o.resource.CopyTo(rs.Resource())
	rs.SetSchemaUrl(o.resourceSchema)
	ss := rs.ScopeSpans().AppendEmpty()
	o.scope.CopyTo(ss.Scope())
	ss.SetSchemaUrl(o.scopeSchema)
	return ss.Spans()
}
