package spanlinkprocessor

import (
	"cmp"
	"context"
	"slices"

	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor/internal/ancestry"
)

// do makes the requests. Those that the index does not answer leave their spans as they are.
func (w *walk) do(ctx context.Context, found func(int, correlation.Result)) {
	w.made = 0
	err := w.l.index.Do(ctx, w.requests, found)
	w.linkTargets()
	if err != nil {
		w.leave(w.turns[w.made:])
	}
}

// leave counts entries that the index did not answer.
func (w *walk) leave(entries []int32) {
	for _, i := range entries {
		w.counts[w.entries[i].stage.Rule.Number].unlinked++
	}
}

// entry returns the entry that a request is about.
func (w *walk) entry(i int) *entry { return &w.entries[w.turns[i]] }

// meets records that a request was made, and returns its entry. It returns nil for the request of
// a trace or of a poisoned key.
func (w *walk) meets(i int, found *correlation.Result) *entry {
	if i >= len(w.turns) {
		return nil
	}
	w.made = i + 1
	e := w.entry(i)
	if found.Poisoned {
		w.counts[e.stage.Rule.Number].poisoned++
		return nil
	}
	return e
}

// join handles what a span finds when it comes.
func (w *walk) join(i int, found correlation.Result) {
	e := w.meets(i, &found)
	switch {
	case e == nil:
	case found.Decided != correlation.Undecided:
		w.decide(i, e, &found)
	default:
		e.undecided = true
		if w.holds(e) && e.stage.Rule.Waits(&w.requests[i].Member, &found) {
			w.spans[e.span].waits = true
		}
	}
}

// release handles what a span finds when it waits no longer.
func (w *walk) release(i int, found correlation.Result) {
	if e := w.meets(i, &found); e != nil {
		w.decide(i, e, &found)
	}
}

func (w *walk) decide(i int, e *entry, found *correlation.Result) {
	if len(found.Members) == 0 {
		return
	}
	self := &w.requests[i].Member
	w.decision.Decide(e.stage.Rule, self, found, func(other *correlation.Member) bool {
		return w.keepsApart(e, self, other)
	})
	w.aim(w.turns[i], found.Members)
}

// releaseAll releases the undecided entries of some spans.
func (w *walk) releaseAll(ctx context.Context, of func(*keyedSpan) bool) {
	clear(w.requests)
	w.turns, w.requests = w.turns[:0], w.requests[:0]
	for i := range w.entries {
		if e := &w.entries[i]; e.undecided && of(&w.spans[e.span]) {
			w.turns = append(w.turns, int32(i))
		}
	}
	if len(w.turns) == 0 {
		return
	}
	w.byTurns(w.turns)
	w.addRequests(correlation.Release)
	w.do(ctx, w.release)
}

// byTurns sorts entries into the order in which their spans are linked. Those of one key are
// together.
func (w *walk) byTurns(entries []int32) {
	slices.SortStableFunc(entries, func(a, b int32) int {
		one, other := &w.entries[a], &w.entries[b]
		if one.turn != other.turn {
			return cmp.Compare(one.turn, other.turn)
		}
		m, n := w.member(one), w.member(other)
		return one.stage.Rule.CompareTurns(&m, &n)
	})
}

// keepsApart reports whether a rule does not link two spans because they are of one trace.
func (w *walk) keepsApart(e *entry, self, other *correlation.Member) bool {
	if self.TraceID != other.TraceID {
		return false
	}
	switch e.stage.Rule.SameTrace {
	case linking.SameTraceAlways:
		return false
	case linking.SameTraceNever:
		return true
	}
	one, another := idOf(self), idOf(other)
	return self.ParentSpanID == other.SpanID || other.ParentSpanID == self.SpanID ||
		slices.Contains(w.spans[e.span].ancestors, another) ||
		w.batch.IsAbove(one, another) || w.batch.IsAbove(another, one)
}

func idOf(m *correlation.Member) ancestry.ID { return ancestry.ID{Trace: m.TraceID, Span: m.SpanID} }
