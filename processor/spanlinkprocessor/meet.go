// SPDX-License-Identifier: Apache-2.0

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
		if w.holds(e, &w.spans[e.span]) && e.stage.Rule.Waits(&w.requests[i].Member, &found) {
			w.spans[e.span].waits = true
		}
	}
}

// released handles what a span finds when it waits no longer.
func (w *walk) released(i int, found correlation.Result) {
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

// releaseWaiting releases the undecided entries of spans that waited.
func (w *walk) releaseWaiting(ctx context.Context) {
	w.selectUndecided(func(span *keyedSpan) bool { return span.waits })
	w.releaseEarlier(ctx)
	w.release(ctx)
}

// releaseOthers releases the undecided entries of spans that need not wait.
func (w *walk) releaseOthers(ctx context.Context) {
	w.selectUndecided(func(span *keyedSpan) bool { return !span.waits })
	w.release(ctx)
}

func (w *walk) selectUndecided(of func(*keyedSpan) bool) {
	clear(w.requests)
	w.turns, w.requests = w.turns[:0], w.requests[:0]
	for i := range w.entries {
		if e := &w.entries[i]; e.undecided && of(&w.spans[e.span]) {
			w.turns = append(w.turns, int32(i))
		}
	}
	w.byTurns(w.turns)
}

func (w *walk) release(ctx context.Context) {
	if len(w.turns) == 0 {
		return
	}
	w.addRequests(correlation.Release)
	w.do(ctx, w.released)
}

// releaseEarlier decides the spans that wait and come before the entries to be released in the order
// of turns, also those that another collector holds. The spans that go on now are then decided
// after them, and have the links to them. If the index does not answer, the others may get them.
func (w *walk) releaseEarlier(ctx context.Context) {
	var looks, releases []correlation.Request
	var last []*entry // of each key
	for n, i := range w.turns {
		if e := &w.entries[i]; n+1 == len(w.turns) || w.entries[w.turns[n+1]].turn != e.turn {
			last = append(last, e)
			looks = append(looks, correlation.Request{Key: e.key, Op: correlation.Look, Member: w.member(e)})
		}
	}
	if w.l.index.Do(ctx, looks, func(n int, found correlation.Result) {
		rule, first := last[n].stage.Rule, len(releases)
		for _, m := range found.Members {
			if m.Decided == correlation.Undecided && rule.CompareTurns(&m, &looks[n].Member) < 0 {
				m.TraceState = "" // not needed, and not valid after this
				releases = append(releases, correlation.Request{Key: looks[n].Key, Op: correlation.Release, Limit: rule.Limit(), Member: m})
			}
		}
		slices.SortFunc(releases[first:], func(a, b correlation.Request) int { return rule.CompareTurns(&a.Member, &b.Member) })
	}) == nil && len(releases) > 0 {
		_ = w.l.index.Do(ctx, releases, func(int, correlation.Result) {})
	}
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
