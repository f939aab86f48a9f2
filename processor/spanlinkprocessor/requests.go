// SPDX-License-Identifier: Apache-2.0

package spanlinkprocessor

import (
	"cmp"
	"context"
	"slices"

	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/conventions/linking"
	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
	"github.com/otelcol-tc/otelcol-tc/processor/spanlinkprocessor/internal/ancestry"
)

func (w *walk) addRequests(op correlation.Op) {
	for _, i := range w.asked {
		e := &w.entries[i]
		w.requests = append(w.requests, correlation.Request{Key: e.key, Op: op, Limit: e.stage.Rule.Limit(), Member: w.member(e)})
	}
}

// sortAsked sorts entries into the order in which their spans are linked. Those of one key are
// together.
func (w *walk) sortAsked() {
	slices.SortStableFunc(w.asked, func(a, b int32) int {
		one, other := &w.entries[a], &w.entries[b]
		if one.number != other.number {
			return cmp.Compare(one.number, other.number)
		}
		m, n := w.member(one), w.member(other)
		return one.stage.Rule.CompareStages(&m, &n)
	})
}

// do makes the requests. Those that the index does not answer leave their spans as they are, and
// are counted.
func (w *walk) do(ctx context.Context, found func(*entry, *correlation.Member, correlation.Result)) {
	w.made = 0
	err := w.l.index.Do(ctx, w.requests, func(i int, result correlation.Result) {
		if i >= len(w.asked) {
			return // of a trace or its threads
		}
		w.made = i + 1
		e := &w.entries[w.asked[i]]
		if result.Poisoned {
			w.counts[e.stage.Rule.Number].poisoned++
			return
		}
		found(e, &w.requests[i].Member, result)
	})
	w.linkTargets()
	if err != nil {
		for _, i := range w.asked[w.made:] {
			w.counts[w.entries[i].stage.Rule.Number].unlinked++
		}
	}
}

// join handles what a span finds when it comes.
func (w *walk) join(e *entry, self *correlation.Member, found correlation.Result) {
	if e.stage.Rule.SameProcess {
		w.noteSplits(e, self, found.Members)
	}
	if found.Decided != correlation.Undecided {
		w.decide(e, self, found)
		return
	}
	e.undecided = true
	if w.holds(e, &w.spans[e.span]) && e.stage.Rule.Waits(self, &found) {
		w.spans[e.span].waits = true
	}
}

// noteSplits notes that requests are split if other traces have the key of a span.
func (w *walk) noteSplits(e *entry, self *correlation.Member, members []correlation.Member) {
	for i := range members {
		other := &members[i]
		if other.Log || other.TraceID == self.TraceID {
			continue
		}
		if kind := correlation.SplitBetweenSpans(e.process, correlation.Process(other.TraceState)); kind != correlation.NotSplit {
			w.splits[split{e.split, kind}] = struct{}{}
		}
	}
}

// addSplits adds to the index which requests are split.
func (w *walk) addSplits(ctx context.Context) {
	if len(w.splits) == 0 {
		return
	}
	var requests []correlation.Request
	for s := range w.splits {
		requests = append(requests, s.kind.Request(s.key, w.l.index.Window()))
	}
	// A log of a request that is not known to be split may get the wrong one of its traces.
	if err := w.l.index.Do(ctx, requests, func(int, correlation.Result) {}); err != nil {
		w.l.set.Logger.Warn("The index does not know that requests are split", zap.Error(err))
	}
}

// decide handles what a span finds that does not wait, or no longer.
func (w *walk) decide(e *entry, self *correlation.Member, found correlation.Result) {
	waited := e.undecided && w.spans[e.span].waits
	if len(found.Members) == 0 {
		w.countUnmet(e, waited)
		return
	}
	w.decision.Decide(e.stage.Rule, self, &found, func(other *correlation.Member) bool {
		return w.keepsApart(e, self, other)
	})
	w.countUnmet(e, waited && w.decision.Alone)
	w.aim(e, found.Members)
}

// countUnmet counts a span that waited, and is alone.
func (w *walk) countUnmet(e *entry, alone bool) {
	if alone && e.stage.Rule.NeedsOther(e.bits) {
		w.counts[e.stage.Rule.Number].unmet++
	}
}

// releaseWaiting releases the undecided entries of spans that waited.
func (w *walk) releaseWaiting(ctx context.Context) {
	w.askUndecided(true)
	w.releaseEarlier(ctx)
	w.release(ctx)
}

// releaseOthers releases the undecided entries of spans that need not wait.
func (w *walk) releaseOthers(ctx context.Context) {
	w.askUndecided(false)
	w.release(ctx)
}

// askUndecided selects the undecided entries of spans that wait, or of those that do not.
func (w *walk) askUndecided(waits bool) {
	clear(w.requests)
	w.asked, w.requests = w.asked[:0], w.requests[:0]
	for i := range w.entries {
		if e := &w.entries[i]; e.undecided && w.spans[e.span].waits == waits {
			w.asked = append(w.asked, int32(i))
		}
	}
	w.sortAsked()
}

func (w *walk) release(ctx context.Context) {
	if len(w.asked) > 0 {
		w.addRequests(correlation.Release)
		w.do(ctx, w.decide)
	}
}

// releaseEarlier decides the spans that wait and come before the entries to be released, also those
// that another collector holds. The spans that go on now are then decided after them, and have the
// links to them. If the index does not answer, the others may get them.
func (w *walk) releaseEarlier(ctx context.Context) {
	var looks, releases []correlation.Request
	var last []*entry // of each key
	for n, i := range w.asked {
		if e := &w.entries[i]; n+1 == len(w.asked) || w.entries[w.asked[n+1]].number != e.number {
			last = append(last, e)
			looks = append(looks, correlation.Request{Key: e.key, Op: correlation.Look, Member: w.member(e)})
		}
	}
	err := w.l.index.Do(ctx, looks, func(n int, found correlation.Result) {
		rule, first := last[n].stage.Rule, len(releases)
		for _, m := range found.Members {
			if m.Decided == correlation.Undecided && rule.CompareStages(&m, &looks[n].Member) < 0 {
				m.TraceState = "" // not needed, and not valid after this
				releases = append(releases, correlation.Request{Key: looks[n].Key, Op: correlation.Release, Limit: rule.Limit(), Member: m})
			}
		}
		slices.SortFunc(releases[first:], func(a, b correlation.Request) int { return rule.CompareStages(&a.Member, &b.Member) })
	})
	if err == nil && len(releases) > 0 {
		_ = w.l.index.Do(ctx, releases, func(int, correlation.Result) {})
	}
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
