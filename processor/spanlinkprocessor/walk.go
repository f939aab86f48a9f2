// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"context"
	"iter"
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/internal/spantime"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor/internal/ancestry"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor/internal/linkrule"
)

// walk is the state of one batch. It belongs to one goroutine.
type walk struct {
	l *linker
	tally
	audited  bool // the batch is a copy, and nothing of it is held
	resource resource
	writer   correlation.Writer

	spans    []keyedSpan
	entries  []entry
	keys     map[correlation.Key]int32 // numbers the keys as they come
	turns    []int32                   // the entries of the first requests; the rest are of traces
	requests []correlation.Request
	made     int // requests about turns that were made
	traces   traces
	batch    ancestry.Batch
	decision linkrule.Decision
	targets  []target
	present  map[ancestry.ID]struct{} // the links of a span
}

// keyedSpan is a span that has keys. All its keys are decided at one time. So two spans with
// several common keys agree which of them has the link.
type keyedSpan struct {
	ptrace.Span
	entries   int  // how many
	mayWait   bool // a rule holds it
	waits     bool // and finds nobody
	ancestors []ancestry.ID
}

// entry is one key of a span, of one rule.
type entry struct {
	stage     *linkrule.Stage
	span      int32  // the number of the keyedSpan
	text      string // the key's value, if links are to state it
	key       correlation.Key
	turn      int32 // the number of the key
	bits      uint8 // Member.Stages
	undecided bool
}

func newWalk(l *linker) *walk {
	w := &walk{l: l, tally: newTally(len(l.rules)), keys: map[correlation.Key]int32{}, present: map[ancestry.ID]struct{}{}}
	w.resource.verdicts = make([]verdict, len(l.names.Stages))
	return w
}

// maxPooled is the most entries that a walk keeps room for.
const maxPooled = 1 << 14

// end counts what the walk did and returns it to the pool, with nothing of the batch.
func (w *walk) end(ctx context.Context) {
	w.l.telemetry.add(ctx, &w.tally)
	w.audited = false
	if cap(w.entries) > maxPooled {
		return
	}
	clear(w.spans)
	clear(w.entries)
	clear(w.requests)
	w.spans, w.entries, w.turns, w.requests = w.spans[:0], w.entries[:0], w.turns[:0], w.requests[:0]
	w.resource.end()
	clear(w.keys)
	w.batch = ancestry.Batch{}
	w.l.walks.Put(w)
}

// process links the spans of a batch, except those that have to wait.
func (w *walk) process(ctx context.Context, td ptrace.Traces) {
	w.collect(td)
	if len(w.entries)+len(w.traces.ids) == 0 {
		return
	}
	for i := range w.entries {
		w.turns = append(w.turns, int32(i))
	}
	w.byTurns(w.turns)
	w.batch.Parents = parentsIn(td)
	w.addRequests(correlation.Join)
	w.addTraces()
	w.do(ctx, w.join)
	w.releaseOthers(ctx)
}

// collect reads the keys of all spans, and their traces if the index asks for them.
func (w *walk) collect(td ptrace.Traces) {
	allTraces := w.l.index.TraceIDs()
	w.traces.begin()
	for _, rs := range td.ResourceSpans().All() {
		w.resource.begin(rs)
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				w.readStages(span)
				if allTraces {
					w.traces.note(span)
				}
			}
		}
	}
}

// readStages reads the keys of a span for each stage that it belongs to. Most spans have no key,
// and consecutive stages often need the same attribute, so that is looked up first and once.
func (w *walk) readStages(span ptrace.Span) {
	asked := ""
	var value pcommon.Value
	has := true
	for _, s := range w.l.names.Fits(span.Name(), kindOf(span)) {
		if !w.resource.allows(s) {
			continue
		}
		if s.Needs != asked {
			asked, has = s.Needs, true
			if asked != "" {
				value, has = span.Attributes().Get(asked)
			}
		}
		if has && fitsSpan(s, span, w.resource.attributes) {
			w.readKeys(s, span, value)
		}
	}
}

// maxKeys is how many keys of a span are read.
const maxKeys = 256

// note adds the key that the writer has. If a span has the same key in several stages of a rule,
// they are one entry. A span without ids has no entry, because no link can lead to it.
func (w *walk) note(s *linkrule.Stage, span ptrace.Span, text string) {
	if span.TraceID().IsEmpty() || span.SpanID().IsEmpty() {
		return
	}
	n := len(w.spans) - 1
	if n < 0 || w.spans[n].Span != span {
		n++
		w.spans = append(w.spans, keyedSpan{Span: span})
	}
	keyed := &w.spans[n]
	key := w.writer.Key()
	own := w.entries[len(w.entries)-keyed.entries:]
	for i := range own {
		if own[i].key == key {
			own[i].bits |= s.Bit
			keyed.mayWait = keyed.mayWait || w.holds(&own[i], keyed)
			return
		}
	}
	if keyed.entries == maxKeys {
		return
	}
	keyed.entries++
	w.add(entry{stage: s, span: int32(n), text: text, key: key, bits: s.Bit})
	keyed.mayWait = keyed.mayWait || w.holds(&w.entries[len(w.entries)-1], keyed)
}

func (w *walk) add(e entry) {
	turn, ok := w.keys[e.key]
	if !ok {
		turn = int32(len(w.keys))
		w.keys[e.key] = turn
	}
	e.turn = turn
	w.entries = append(w.entries, e)
}

// holds reports whether an entry's rule has its span wait for an earlier one. None is earlier than
// a span without a real start.
func (w *walk) holds(e *entry, span *keyedSpan) bool {
	return w.l.queue != nil && !w.audited && e.stage.Rule.Holds(e.bits) && spantime.Plausible(span.StartTimestamp())
}

// addRequests adds a request for each turn.
func (w *walk) addRequests(op correlation.Op) {
	for _, i := range w.turns {
		e := &w.entries[i]
		w.requests = append(w.requests, correlation.Request{Key: e.key, Op: op, Limit: e.stage.Rule.Limit(), Member: w.member(e)})
	}
}

// member returns an entry's span as the index knows it.
func (w *walk) member(e *entry) correlation.Member {
	span := &w.spans[e.span]
	m := correlation.Member{
		TraceID: span.TraceID(), SpanID: span.SpanID(), ParentSpanID: span.ParentSpanID(),
		Start: span.StartTimestamp(),
		End:   correlation.NewDuration(span.StartTimestamp(), span.EndTimestamp()).End(span.StartTimestamp()),
		Kind:  kindOf(span.Span), Stages: e.bits, Flags: uint8(span.Flags() & math.MaxUint8), Held: span.mayWait,
	}
	if state := span.TraceState().AsRaw(); len(state) <= correlation.MaxTraceState {
		m.TraceState = state
	}
	return m
}

// parentsIn returns the spans of a batch, each with its parent.
func parentsIn(td ptrace.Traces) iter.Seq2[ancestry.ID, ancestry.ID] {
	return func(yield func(ancestry.ID, ancestry.ID) bool) {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					id := ancestry.ID{Trace: span.TraceID(), Span: span.SpanID()}
					if !yield(id, ancestry.ID{Trace: id.Trace, Span: span.ParentSpanID()}) {
						return
					}
				}
			}
		}
	}
}

// kindOf returns a span's kind. A sender can write any number there.
func kindOf(span ptrace.Span) uint8 {
	if kind := span.Kind(); kind >= 0 && kind <= ptrace.SpanKindConsumer {
		return uint8(kind)
	}
	return 0
}
