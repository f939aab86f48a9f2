// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"context"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/internal/tailstage"
	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
	"github.com/otelcol-tc/otelcol-tc/processor/logcorrelationprocessor/internal/answer"
)

// conflictKey is the attribute of a record in which one source states several ids.
const conflictKey = "tc.correlation.conflict"

// flagBits are the trace flags among a record's flags.
const flagBits = 0xff

// walk is the state of one batch. It belongs to one goroutine.
type walk struct {
	p *correlator
	tally
	inquiry *inquiry // nil without an index
	audited bool     // the batch is a copy, and nothing of it is held
	watched bool     // somebody watches a service

	// Of the record at hand.
	resource   pcommon.Resource
	scope      pcommon.InstrumentationScope
	decision   tracecontext.Decision
	attributes tracecontext.Evidence
	body       tracecontext.Evidence
	nested     bool // there are maps among its attributes

	flags uint8
	one   tracecontext.Evidence // of one attribute
}

func newWalk(p *correlator) *walk {
	w := &walk{p: p}
	if p.indexing != nil {
		w.inquiry = &inquiry{indexing: p.indexing, tally: &w.tally}
	}
	return w
}

func (w *walk) begin(audited bool) {
	w.audited, w.watched = audited, w.p.tail.Watched()
	if w.inquiry != nil {
		w.inquiry.audited = audited
	}
}

// end counts what the walk did and returns it to the pool.
func (w *walk) end(ctx context.Context) {
	w.resource, w.scope = pcommon.Resource{}, pcommon.InstrumentationScope{}
	w.p.telemetry.rejected(ctx, &w.attributes, &w.body)
	w.p.telemetry.count(ctx, &w.tally)
	if w.inquiry != nil {
		w.inquiry.forget()
	}
	w.p.walks.Put(w)
}

func (w *walk) logs(ld plog.Logs) {
	if w.inquiry != nil {
		w.inquiry.begin()
	}
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			w.resource, w.scope = rl.Resource(), sl.Scope()
			for _, record := range sl.LogRecords().All() {
				w.record(record)
				// A conflict ends the search: less trusted sources are not used.
				if w.inquiry != nil && !w.decision.Conflict {
					w.inquiry.add(rl.Resource(), sl.Scope(), record)
				}
			}
		}
	}
}

func (w *walk) record(record plog.LogRecord) {
	if w.p.overwrite {
		w.decision.BeginEmpty(record.TraceID(), record.SpanID())
	} else if w.decision.Begin(record.TraceID(), record.SpanID(), uint8(record.Flags()&flagBits)); w.decision.Complete() && !w.p.removeSource {
		w.valid++
		return
	}
	w.readAttributes(record.Attributes())
	w.decide(record)
	shown := w.show(record)
	w.apply(record)
	shown.DoneIfChanged(w.audited)
}

// show begins to show a record that changes, if somebody watches its service.
func (w *walk) show(record plog.LogRecord) *tailstage.Shown {
	if !w.watched || !w.decision.Conflict && !w.decision.Found() {
		return nil
	}
	return w.p.tail.BeginOne(w.resource, w.scope, tailstage.Log(w.resource, record))
}

// decide considers the sources in their order. It does not parse the body for flags alone.
func (w *walk) decide(record plog.LogRecord) {
	d := &w.decision
	d.Consider(&w.attributes, tracecontext.Custom, tracecontext.SourceFields)
	d.Consider(&w.attributes, tracecontext.Plain, tracecontext.SourceAttribute)
	d.Consider(&w.attributes, tracecontext.Vendor, tracecontext.SourceVendor)
	if w.nested && d.Open() {
		// A log shipper may have made attributes of the objects in a line of JSON.
		w.body.Reset()
		w.readInner(record.Attributes())
		w.considerBody()
	}
	unstructured := ""
	if d.Open() {
		unstructured = w.readBody(record.Body())
		w.considerBody()
	}
	d.Consider(&w.attributes, tracecontext.Parent, tracecontext.SourceTraceparent)
	if unstructured != "" && d.Open() {
		w.body.Reset()
		w.p.keys.Scan(unstructured, &w.body)
		d.Consider(&w.body, tracecontext.All, tracecontext.SourceText)
	}
	if w.p.overwrite {
		d.End()
	}
}

// considerBody considers what a structured body states.
func (w *walk) considerBody() {
	w.decision.Consider(&w.body, tracecontext.Custom, tracecontext.SourceBody)
	w.decision.Consider(&w.body, tracecontext.Plain, tracecontext.SourceBody)
	w.decision.Consider(&w.body, tracecontext.Vendor, tracecontext.SourceBody)
	w.decision.Consider(&w.body, tracecontext.Parent, tracecontext.SourceBody)
}

// apply writes what was decided.
func (w *walk) apply(record plog.LogRecord) {
	d := &w.decision
	if d.Conflict {
		record.Attributes().PutBool(conflictKey, true)
		w.conflicts++
	}
	if !d.Found() {
		w.unresolved++
		return
	}
	if d.Changed() {
		record.SetTraceID(d.TraceID())
		record.SetSpanID(d.SpanID())
		w.enriched[d.Source]++
	} else {
		w.valid++
	}
	if flags, ok := d.Flags(); ok {
		record.SetFlags(record.Flags()&^flagBits | plog.LogRecordFlags(flags))
	}
	if w.p.removeSource && w.attributes.Any() {
		w.flags = uint8(record.Flags() & flagBits)
		record.Attributes().RemoveIf(w.isRedundant)
	}
}

// isRedundant reports whether an attribute holds an id, and the record's own fields contain all
// that the attributes of its style state.
func (w *walk) isRedundant(name string, value pcommon.Value) bool {
	key := w.p.keys.Find(name)
	if key == nil {
		return false
	}
	w.one.Reset()
	add(&w.one, key, 0, value)
	return w.one.Any() && w.attributes.AddsNothing(key, &w.decision, w.flags)
}

// askIndex gives records the ids that the index knows. It moves records that are to be held out of
// the batch.
func (w *walk) askIndex(ctx context.Context, ld plog.Logs) {
	q := w.inquiry
	reached := q.ask(ctx)
	if len(q.subjects) == 0 {
		return
	}
	for i := range q.subjects {
		q.decide(&q.subjects[i])
	}
	pending := pendingOf(ctx)
	if w.audited {
		pending = nil
	}
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
	}
}

// canHold reports whether there is room for the subjects that wait.
func (w *walk) canHold(pending *pending) bool {
	if w.p.keeper == nil || pending == nil {
		return false
	}
	items, bytes := 0, 0
	for i := range w.inquiry.subjects {
		if s := &w.inquiry.subjects[i]; s.waits {
			s.bytes = sizeOf(s.record)
			items, bytes = items+1, bytes+s.bytes
		}
	}
	return items > 0 && w.p.keeper.queue.Accepts(items, bytes)
}

// recount corrects the counts for a record that has its ids now, or is held. A held record is
// counted at its release.
func (w *walk) recount(s *subject) {
	if !s.half && (s.waits || s.got.Kind == answer.Found) {
		w.unresolved--
	}
	if s.several && !s.waits && s.got.Kind != answer.Found {
		w.ambiguous++
	}
}
