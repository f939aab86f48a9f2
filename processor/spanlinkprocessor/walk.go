// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"context"
	"iter"
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor/internal/ancestry"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor/internal/linkrule"
)

// walk is the state of one batch. It belongs to one goroutine.
type walk struct {
	l *linker
	tally
	audited  bool        // the batch is a copy, and nothing of it is held
	resource pcommon.Map // the attributes of the current spans' resource
	scope    string      // the name of the current spans' scope
	writer   correlation.Writer

	processes correlation.Writer // of what rules about single processes need
	splits    map[split]struct{} // what was seen of split requests
	threads   []correlation.Request

	spans    []keyedSpan
	entries  []entry
	keys     map[correlation.Key]int32 // numbers the keys as they come
	asked    []int32                   // the entries of the first requests; the rest are of traces and their threads
	requests []correlation.Request
	made     int // requests about entries that were made
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
	number    int32 // of the key
	bits      uint8 // Member.Stages
	undecided bool

	// Of a rule about single processes.
	process correlation.Process
	split   correlation.Key // where the index keeps whether requests are split
}

// split is that the requests of a key's scope are split.
type split struct {
	key  correlation.Key
	kind correlation.Split
}

func newWalk(l *linker) *walk {
	return &walk{
		l: l, tally: newTally(len(l.rules)), writer: correlation.Writer{HashKey: l.index.HashKey()},
		processes: correlation.Writer{HashKey: l.index.HashKey()}, splits: map[split]struct{}{},
		keys: map[correlation.Key]int32{}, present: map[ancestry.ID]struct{}{},
	}
}

// maxPooled is the most entries that a walk keeps room for.
const maxPooled = 1 << 14

// end counts what the walk did and returns it to the pool, with nothing of the batch.
func (w *walk) end(ctx context.Context) {
	w.l.telemetry.add(ctx, &w.tally)
	if cap(w.entries) > maxPooled {
		return
	}
	clear(w.spans)
	clear(w.entries)
	clear(w.requests)
	clear(w.threads)
	clear(w.keys)
	clear(w.splits)
	w.spans, w.entries, w.asked, w.requests, w.threads = w.spans[:0], w.entries[:0], w.asked[:0], w.requests[:0], w.threads[:0]
	w.resource, w.scope, w.batch = pcommon.Map{}, "", ancestry.Batch{}
	w.l.walks.Put(w)
}

// process links the spans of a batch, except those that have to wait.
func (w *walk) process(ctx context.Context, td ptrace.Traces, audited bool) {
	w.audited = audited
	for _, rs := range td.ResourceSpans().All() {
		w.resource = rs.Resource().Attributes()
		for _, ss := range rs.ScopeSpans().All() {
			w.scope = ss.Scope().Name()
			for _, span := range ss.Spans().All() {
				w.read(span)
			}
		}
	}
	allTraces := w.l.index.TraceIDs()
	if len(w.entries) == 0 && len(w.threads) == 0 && !allTraces {
		return
	}
	w.batch.Parents = parentsIn(td)
	for i := range w.entries {
		w.asked = append(w.asked, int32(i))
	}
	w.sortAsked()
	w.addRequests(correlation.Join)
	w.requests = append(w.requests, w.threads...)
	if allTraces {
		w.addTraces(td)
	}
	w.do(ctx, w.join)
	w.addSplits(ctx)
	w.releaseOthers(ctx)
}

// maxKeys is how many keys of a span are read.
const maxKeys = 256

// note adds the key that the writer has, and returns its entry. If a span has the same key in several stages of a rule,
// they are one entry. It returns nil for a span with too many keys.
func (w *walk) note(s *linkrule.Stage, span ptrace.Span, text string) *entry {
	n := len(w.spans) - 1
	if n < 0 || w.spans[n].Span != span {
		n++
		w.spans = append(w.spans, keyedSpan{Span: span})
	}
	keyed, key := &w.spans[n], w.writer.Key()
	var e *entry
	for i := len(w.entries) - keyed.entries; e == nil && i < len(w.entries); i++ {
		if w.entries[i].key == key {
			e = &w.entries[i]
			e.bits |= s.Bit
		}
	}
	if e == nil {
		if keyed.entries == maxKeys {
			return nil
		}
		keyed.entries++
		e = w.add(entry{stage: s, span: int32(n), text: text, key: key, bits: s.Bit})
	}
	keyed.mayWait = keyed.mayWait || w.holds(e, keyed)
	return e
}

func (w *walk) add(e entry) *entry {
	number, ok := w.keys[e.key]
	if !ok {
		number = int32(len(w.keys))
		w.keys[e.key] = number
	}
	e.number = number
	w.entries = append(w.entries, e)
	return &w.entries[len(w.entries)-1]
}

// holds reports whether an entry's rule has its span wait for an earlier one. None is earlier than
// a span without a real start.
func (w *walk) holds(e *entry, span *keyedSpan) bool {
	return w.l.queue != nil && !w.audited && e.stage.Rule.Holds(e.bits) && correlation.Plausible(span.StartTimestamp())
}

// member returns an entry's span as the index knows it.
func (w *walk) member(e *entry) correlation.Member {
	span := &w.spans[e.span]
	m := correlation.Member{
		TraceID: span.TraceID(), SpanID: span.SpanID(), ParentSpanID: span.ParentSpanID(),
		Start: span.StartTimestamp(),
		End:   max(span.StartTimestamp(), span.EndTimestamp()),
		Kind:  kindOf(span.Span), Stages: e.bits, Flags: uint8(span.Flags() & math.MaxUint8), Held: span.mayWait,
	}
	if e.stage.Rule.SameProcess {
		m.TraceState = string(e.process) // logs need it, and nothing is linked
	} else if state := span.TraceState().AsRaw(); len(state) <= correlation.MaxTraceState {
		m.TraceState = state
	}
	return m
}

// sharedTraceLimit is how many traces can have the same lower 8 bytes. Of two, a 64-bit id already
// means neither.
const sharedTraceLimit = 2

// addTraces adds a request for each trace, so that logs with 64-bit ids find it.
func (w *walk) addTraces(td ptrace.Traces) {
	seen := map[pcommon.TraceID]struct{}{}
	for span := range spansOf(td) {
		id := span.TraceID()
		if _, ok := seen[id]; ok || id.IsEmpty() {
			continue
		}
		seen[id] = struct{}{}
		w.requests = append(w.requests, correlation.Request{
			Key: w.writer.KeyOfTrace(id), Op: correlation.Join, Limit: sharedTraceLimit,
			Member: correlation.Member{TraceID: id, Start: span.StartTimestamp()},
		})
	}
}

// parentsIn returns the spans of a batch, each with its parent.
func parentsIn(td ptrace.Traces) iter.Seq2[ancestry.ID, ancestry.ID] {
	return func(yield func(ancestry.ID, ancestry.ID) bool) {
		for span := range spansOf(td) {
			if !yield(ancestry.ID{Trace: span.TraceID(), Span: span.SpanID()}, ancestry.ID{Trace: span.TraceID(), Span: span.ParentSpanID()}) {
				return
			}
		}
	}
}

func spansOf(td ptrace.Traces) iter.Seq[ptrace.Span] {
	return func(yield func(ptrace.Span) bool) {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					if !yield(span) {
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
