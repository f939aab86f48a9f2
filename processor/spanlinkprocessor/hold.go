// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"cmp"
	"context"
	"slices"
	"time"
	"unsafe"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/xpdata/pref"
	"go.opentelemetry.io/collector/processor"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/internal/delivery"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor/internal/ancestry"
)

// heldSpan is a span that waits, with its undecided keys.
type heldSpan struct {
	linker    *linker // by whose rules it waits
	origin    *origin
	span      ptrace.Span
	entries   []entry
	ancestors []ancestry.ID
	hold      time.Duration
	bytes     int
	batch     *keptBatch // nil: not on disk
}

// pending contains the spans of a batch that are held once the next component has accepted the
// rest. If it refuses the rest, the sender sends all of the batch again.
type pending struct {
	spans []*heldSpan
	batch *keptBatch // that has the spans already
}

type pendingKey struct{}

// holder forwards spans and holds those that wait.
type holder struct {
	processor.Traces
	linker *linker
}

// ConsumeTraces implements consumer.Traces.
func (h holder) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	ctx = h.linker.user.Pin(ctx)
	l := h.linker.user.Of(ctx)
	if l.queue == nil {
		return h.Traces.ConsumeTraces(ctx, td)
	}
	var p pending
	if err := h.Traces.ConsumeTraces(context.WithValue(ctx, pendingKey{}, &p), td); err != nil {
		l.keep.remove(p.spans)
		return err
	}
	l.hold(ctx, &p)
	return nil
}

func (l *linker) hold(ctx context.Context, p *pending) {
	// The earlier span is released first, so that the later one has the link.
	slices.SortStableFunc(p.spans, func(a, b *heldSpan) int {
		return cmp.Compare(a.span.StartTimestamp(), b.span.StartTimestamp())
	})
	for _, s := range p.spans {
		if len(s.entries) > 0 {
			l.telemetry.held(ctx, s.entries[0].stage.Rule)
		}
		l.queue.Hold(s, s.bytes, s.hold)
	}
}

func newQueue(l *linker, set processor.Settings, cfg *Config, next consumer.Traces) *delivery.Queue[*heldSpan] {
	sender := delivery.NewTraces(func(ctx context.Context, td ptrace.Traces) error {
		// With pooled data, the first of several exporters would otherwise free the batch.
		pref.MarkPipelineOwnedTraces(td)
		return next.ConsumeTraces(ctx, td)
	})
	return delivery.NewQueue(delivery.Options[*heldSpan]{
		MaxItems: cfg.MaxHeldSpans,
		MaxBytes: cfg.MaxHeldMib << 20,
		Release:  release,
		Deliver: func(ctx context.Context, spans []*heldSpan) error {
			err := sender.Send(ctx, func() ptrace.Traces { return render(spans) })
			if err == nil || delivery.Refused(err) {
				l.keep.remove(spans)
			}
			return err
		},
		Lost: func(spans int, err error) {
			if l.keep != nil && !delivery.Refused(err) {
				return // they come again after the next start
			}
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
	held, bytes := w.held()
	if len(held) == 0 {
		return
	}
	p, ok := ctx.Value(pendingKey{}).(*pending)
	if !ok || !w.l.queue.Accepts(len(held), bytes) {
		w.releaseWaiting(ctx)
		return
	}
	first := len(p.spans)
	p.take(td, func(span ptrace.Span) *heldSpan { return held[span] })
	if taken := p.spans[first:]; w.l.keep != nil && p.batch == nil && w.l.keep.add(taken) != nil {
		release(ctx, taken, delivery.Overflow)
		render(taken).ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
		p.spans = p.spans[:first]
	}
}

// take moves the spans out of a batch for which pick returns something.
func (p *pending) take(td ptrace.Traces, pick func(ptrace.Span) *heldSpan) {
	td.ResourceSpans().RemoveIf(func(rs ptrace.ResourceSpans) bool {
		had := rs.ScopeSpans().Len()
		rs.ScopeSpans().RemoveIf(func(ss ptrace.ScopeSpans) bool {
			had := ss.Spans().Len()
			var from *origin
			ss.Spans().RemoveIf(func(span ptrace.Span) bool {
				h := pick(span)
				if h == nil {
					return false
				}
				if from == nil {
					from = newOrigin(rs, ss)
					h.bytes += sizeFactor * marshaler.ResourceSpansSize(from.empty)
				}
				h.origin, h.span = from, ptrace.NewSpan()
				span.MoveTo(h.span)
				p.spans = append(p.spans, h)
				return true
			})
			return had > 0 && ss.Spans().Len() == 0
		})
		return had > 0 && rs.ScopeSpans().Len() == 0
	})
}

// held returns the spans that wait, with their undecided keys, and the memory that they take.
func (w *walk) held() (all map[ptrace.Span]*heldSpan, bytes int) {
	for i := range w.entries {
		e := &w.entries[i]
		span := &w.spans[e.span]
		if !span.waits || !e.undecided {
			continue
		}
		h := all[span.Span]
		if h == nil {
			if all == nil {
				all = map[ptrace.Span]*heldSpan{}
			}
			h = &heldSpan{linker: w.l, bytes: heldBytes + sizeFactor*marshaler.SpanSize(span.Span)}
			all[span.Span] = h
			bytes += h.bytes
		}
		h.entries = append(h.entries, *e)
		h.hold = max(h.hold, e.stage.Rule.HoldFor)
		if e.stage.Rule.SameTrace == "" && h.ancestors == nil {
			h.ancestors = w.batch.AncestorsOf(ancestry.ID{Trace: span.TraceID(), Span: span.SpanID()})
		}
		h.bytes += entryBytes
		bytes += entryBytes
	}
	return all, bytes
}

var marshaler ptrace.ProtoMarshaler

// The memory that a held span takes, in bytes.
const (
	heldBytes  = 512
	entryBytes = int(unsafe.Sizeof(entry{}))
	// sizeFactor is the size of data in memory in relation to their size as OTLP.
	sizeFactor = 4
)

// release links spans before they are delivered, each by the rules by which it waited.
func release(ctx context.Context, spans []*heldSpan, _ delivery.Reason) {
	for len(spans) > 0 {
		n := 1
		for n < len(spans) && spans[n].linker == spans[0].linker {
			n++
		}
		spans[0].linker.release(ctx, spans[:n])
		spans = spans[n:]
	}
}

func (l *linker) release(ctx context.Context, spans []*heldSpan) {
	w := l.walks.Get().(*walk)
	defer w.end(ctx)
	w.audited = false
	for _, h := range spans {
		n := int32(len(w.spans))
		w.spans = append(w.spans, keyedSpan{Span: h.span, entries: len(h.entries), waits: true, ancestors: h.ancestors})
		for _, e := range h.entries {
			e.span = n
			w.add(e)
		}
	}
	w.releaseWaiting(ctx)
}

// render copies spans into a batch. They stay as they are, for another attempt.
func render(held []*heldSpan) ptrace.Traces {
	td := ptrace.NewTraces()
	scopes := map[*origin]ptrace.SpanSlice{}
	for _, h := range held {
		spans, ok := scopes[h.origin]
		if !ok {
			rs := td.ResourceSpans().AppendEmpty()
			h.origin.empty.CopyTo(rs)
			spans = rs.ScopeSpans().At(0).Spans()
			scopes[h.origin] = spans
		}
		h.span.CopyTo(spans.AppendEmpty())
	}
	return td
}

// origin is the resource and the scope of held spans: a batch without spans.
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
