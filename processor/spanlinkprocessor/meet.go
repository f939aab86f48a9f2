package spanlinkprocessor

import (
	"cmp"
	"context"
	"slices"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// visit makes the visits. Those that cannot be made leave their spans as they are.
func (w *walk) visit(ctx context.Context, found func(int, correlation.Result)) {
	w.made = 0
	err := w.index.Visit(ctx, w.visits, found)
	w.linkTargets()
	if err != nil {
		w.leave(w.turns[w.made:])
	}
}

// leave counts entries that are not looked up.
func (w *walk) leave(entries []int32) {
	for _, i := range entries {
		w.counts[w.entries[i].stage.rule.number].unlinked++
	}
}

// entry is whose the visit of a number is.
func (w *walk) entry(i int) *entry { return &w.entries[w.turns[i]] }

// meets takes note of a visit that was made. It returns nil for that of a trace, or of a
// key that counts as none.
func (w *walk) meets(i int, found *correlation.Result) *entry {
	if i >= len(w.turns) {
		return nil
	}
	w.made = i + 1
	e := w.entry(i)
	if found.Poisoned {
		w.counts[e.stage.rule.number].poisoned++
		return nil
	}
	return e
}

// join is what a span meets when it comes.
func (w *walk) join(i int, found correlation.Result) {
	e := w.meets(i, &found)
	switch {
	case e == nil:
	case found.Decided != correlation.Undecided:
		w.decide(i, e, &found)
	default:
		e.undecided = true
		if w.holds(e) && waits(e.stage.rule, &w.visits[i].Member, &found) {
			w.spans[e.span].waits = true
		}
	}
}

// release is what a span meets when it waits no longer.
func (w *walk) release(i int, found correlation.Result) {
	if e := w.meets(i, &found); e != nil {
		w.decide(i, e, &found)
	}
}

func (w *walk) decide(i int, e *entry, found *correlation.Result) {
	if len(found.Members) == 0 {
		return
	}
	self := &w.visits[i].Member
	w.decision.decide(e.stage.rule, self, found, func(other *correlation.Member) bool {
		return w.keepsApart(e, self, other)
	})
	w.aim(w.turns[i], found.Members)
}

// releaseAll releases the undecided entries of some spans.
func (w *walk) releaseAll(ctx context.Context, of func(*keyedSpan) bool) {
	clear(w.visits)
	w.turns, w.visits = w.turns[:0], w.visits[:0]
	for i := range w.entries {
		if e := &w.entries[i]; e.undecided && of(&w.spans[e.span]) {
			w.turns = append(w.turns, int32(i))
		}
	}
	if len(w.turns) == 0 {
		return
	}
	if len(w.turns) > 1 {
		w.inOrder(w.turns)
	}
	w.addVisits(correlation.Release)
	w.visit(ctx, w.released)
}

// inOrder puts entries in the order in which their spans are to be linked, key by key.
func (w *walk) inOrder(entries []int32) {
	slices.SortStableFunc(entries, func(a, b int32) int {
		one, other := &w.entries[a], &w.entries[b]
		if one.key != other.key {
			return cmp.Or(cmp.Compare(one.key.Hi, other.key.Hi), cmp.Compare(one.key.Lo, other.key.Lo))
		}
		return w.compareTurns(one, other)
	})
}
