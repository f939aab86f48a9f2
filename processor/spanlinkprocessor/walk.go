package spanlinkprocessor

import (
	"context"
	"math"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// walk is the state of one pass over one batch. It belongs to one goroutine.
type walk struct {
	*linker
	tally
	seed     uint64
	resource resource
	writer   correlation.Writer

	visitors []visitor
	order    order
	turns    []int32 // who makes each visit; those after them are of traces
	visits   []correlation.Visit
	traces   traces
	parents  parents
	decision decision
	targets  []target // of spans with several keys
	ready    []int32  // undecided visitors that need not wait
	waiting  []int32  // those that do
	met      int      // visits that were made

	// The functions that visits call are made once, so that no batch allocates one.
	joined, settled func(int, correlation.Result)
}

// visitor is a span with one key of one rule.
type visitor struct {
	stage   *stage
	span    ptrace.Span
	text    string // the key's value, if links are to state it
	key     correlation.Key
	bits    uint8 // Member.Stages
	several bool  // the span has several keys
}

func newWalk(l *linker) *walk {
	w := &walk{linker: l, tally: newTally(len(l.rules))}
	w.resource.verdicts = make([]verdict, len(l.names.stages))
	w.joined, w.settled = w.join, w.settle
	return w
}

// end counts what the walk did and leaves it to another batch. Nothing of the batch is
// kept.
func (w *walk) end(ctx context.Context) {
	w.telemetry.add(ctx, &w.tally)
	clear(w.visitors)
	clear(w.visits)
	w.visitors, w.turns, w.visits = w.visitors[:0], w.turns[:0], w.visits[:0]
	w.ready, w.waiting = w.ready[:0], w.waiting[:0]
	w.targets = w.targets[:0]
	w.resource.end()
	w.parents = parents{}
	w.walks.Put(w)
}

// batch links the spans of a batch. Visitors that have to wait are left in w.waiting.
func (w *walk) batch(ctx context.Context, td ptrace.Traces) {
	seed, known := w.index.Seed()
	w.seed = seed
	w.collect(td)
	if len(w.visitors)+len(w.traces.ids) == 0 {
		return
	}
	w.addVisitors()
	w.addTraces()
	w.parents.batch = &td
	w.visit(ctx, known, w.joined)
	w.release(ctx, w.ready)
}

// collect notes the keys of all spans, and their traces if the index asks for them.
func (w *walk) collect(td ptrace.Traces) {
	allTraces := w.index.TraceIDs()
	w.traces.begin()
	for _, rs := range td.ResourceSpans().All() {
		w.resource.begin(rs)
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				w.keys(span)
				if allTraces {
					w.traces.note(span)
				}
			}
		}
	}
}

// keys notes the keys of a span.
func (w *walk) keys(span ptrace.Span) {
	kind := span.Kind()
	for _, s := range w.names.fits(span.Name()) {
		if s.kind != ptrace.SpanKindUnspecified && s.kind != kind {
			continue
		}
		if w.resource.allows(s) && s.fitsSpan(span, w.resource.attributes) {
			w.readKeys(s, span)
		}
	}
}

// note takes down a key, which the writer has. The stages of one rule at which a span
// has the same key are one visitor. To a span without ids no link can lead.
func (w *walk) note(s *stage, span ptrace.Span, text string) {
	if span.TraceID().IsEmpty() || span.SpanID().IsEmpty() {
		return
	}
	key := w.writer.Key(w.seed)
	several := false
	for i := len(w.visitors) - 1; i >= 0 && w.visitors[i].span == span; i-- {
		v := &w.visitors[i]
		if v.key == key {
			v.bits |= s.bit
			return
		}
		v.several, several = true, true
	}
	w.visitors = append(w.visitors, visitor{stage: s, span: span, text: text, key: key, bits: s.bit, several: several})
}

// addVisitors makes the visits of those who come, in their order.
func (w *walk) addVisitors() {
	w.turns = append(w.turns, w.order.of(w.visitors)...)
	for _, i := range w.turns {
		v := &w.visitors[i]
		w.visits = append(w.visits, correlation.Visit{
			Key: v.key, Op: correlation.Join, Limit: v.stage.rule.limit, Member: w.member(v),
		})
	}
}

// member is a visitor as the index knows it.
func (w *walk) member(v *visitor) correlation.Member {
	m := correlation.Member{
		TraceID: v.span.TraceID(), SpanID: v.span.SpanID(), ParentSpanID: v.span.ParentSpanID(),
		Start: v.span.StartTimestamp(), End: v.span.EndTimestamp(),
		Stages: v.bits, Kind: uint8(v.span.Kind()), Flags: uint8(v.span.Flags() & math.MaxUint8),
		Held: w.holds(v),
	}
	if state := v.span.TraceState().AsRaw(); len(state) <= correlation.MaxTraceState {
		m.TraceState = state
	}
	return m
}

func (w *walk) holds(v *visitor) bool {
	return w.queue != nil && v.stage.rule.holds(v.bits)
}
