package logcorrelationprocessor

import (
	"context"

	"go.opentelemetry.io/collector/pdata/plog"
)

// askIndex gives records the ids that the index knows, and takes those out of the batch
// that are to be held. It tells whether there are any.
func (w *walk) askIndex(ctx context.Context, ld plog.Logs) (taken bool) {
	q := w.inquiry
	reached := q.ask(ctx)
	if len(q.subjects) == 0 {
		return false
	}
	for i := range q.subjects {
		q.decide(&q.subjects[i])
	}
	pending := pendingOf(ctx)
	if !w.canHold(pending) {
		for i := range q.subjects {
			q.subjects[i].waits = false
		}
	}
	for i := range q.subjects {
		w.recount(&q.subjects[i])
	}
	if reached {
		q.joinSubjects(ctx)
	}
	if pending != nil {
		pending.held = takeOut(ld, q.subjects)
		taken = len(pending.held) > 0
	}
	return taken
}

// canHold tells whether there is room for the subjects that wait.
func (w *walk) canHold(pending *pending) bool {
	if w.keeper == nil || pending == nil {
		return false
	}
	items, bytes := 0, 0
	for i := range w.inquiry.subjects {
		if s := &w.inquiry.subjects[i]; s.waits {
			s.bytes = sizeOf(s.record)
			items, bytes = items+1, bytes+s.bytes
		}
	}
	return items > 0 && w.keeper.queue.Accepts(items, bytes)
}

// recount takes back that a record is unresolved that has got its ids, or is held and
// counted when it is let go.
func (w *walk) recount(s *subject) {
	if !s.half && (s.waits || s.got.kind == found) {
		w.unresolved--
	}
	if s.several && !s.waits && s.got.kind != found {
		w.ambiguous++
	}
}
