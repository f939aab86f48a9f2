package spanlinkprocessor

import (
	"context"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// visit makes the visits. Those that cannot be made leave their spans as they are.
func (w *walk) visit(ctx context.Context, known bool, found func(int, correlation.Result)) {
	w.met = 0
	if known {
		err := w.index.Visit(ctx, w.visits, found)
		w.linkTargets(0)
		if err == nil {
			return
		}
	}
	for i := w.met; i < len(w.turns); i++ {
		w.counts[w.visitor(i).stage.rule.number].unlinked++
	}
}

// visitor is who makes the visit of a number.
func (w *walk) visitor(i int) *visitor { return &w.visitors[w.turns[i]] }

// meets takes note of a visit that was made. It returns nil for one that has no visitor,
// or whose key counts for nothing.
func (w *walk) meets(i int, found *correlation.Result) *visitor {
	if i >= len(w.turns) {
		return nil // of a trace
	}
	w.met = i + 1
	v := w.visitor(i)
	if found.Poisoned {
		w.counts[v.stage.rule.number].poisoned++
		return nil
	}
	return v
}

// join is what a visitor meets when it comes.
func (w *walk) join(i int, found correlation.Result) {
	v := w.meets(i, &found)
	if v == nil {
		return
	}
	self := &w.visits[i].Member
	w.decision.arrive(v.stage.rule, self, &found, &w.parents)
	w.apply(i, self, found.Members)
	if found.Decided != correlation.Undecided {
		return
	}
	if waits(v.stage.rule, self, &found) {
		w.waiting = append(w.waiting, w.turns[i])
	} else {
		w.ready = append(w.ready, w.turns[i])
	}
}

// settle is what a visitor meets that is released.
func (w *walk) settle(i int, found correlation.Result) {
	if v := w.meets(i, &found); v != nil {
		self := &w.visits[i].Member
		w.decision.release(v.stage.rule, self, &found, &w.parents)
		w.apply(i, self, found.Members)
	}
}

// release releases visitors.
func (w *walk) release(ctx context.Context, visitors []int32) {
	if len(visitors) == 0 {
		return
	}
	clear(w.visits)
	w.turns, w.visits = w.turns[:0], w.visits[:0]
	for _, i := range visitors {
		v := &w.visitors[i]
		w.turns = append(w.turns, i)
		w.visits = append(w.visits, correlation.Visit{
			Key: v.key, Op: correlation.Release, Limit: v.stage.rule.limit, Member: w.member(v),
		})
	}
	_, known := w.index.Seed()
	w.visit(ctx, known, w.settled)
}
