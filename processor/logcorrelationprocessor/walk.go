// SPDX-License-Identifier: Apache-2.0

package logcorrelationprocessor

import (
	"context"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/internal/tracecontext"
)

// conflictKey is the attribute of a record in which one source states several ids.
const conflictKey = "tc.correlation.conflict"

// flagBits are the trace flags among a record's flags.
const flagBits = 0xff

// walk is the state of one batch. It belongs to one goroutine.
type walk struct {
	p *correlator
	tally
	lookup  *lookup // nil without an index
	audited bool    // the batch is a copy, and nothing of it is held

	// Of the current record.
	resource   pcommon.Resource
	service    *outcomes // of the resource
	decision   tracecontext.Decision
	attributes tracecontext.Evidence
	body       tracecontext.Evidence
	nested     bool // there are maps among its attributes

	one tracecontext.Evidence // of one attribute
}

func newWalk(p *correlator) *walk {
	w := &walk{p: p}
	if p.index != nil {
		w.lookup = newLookup(p.index, &w.tally)
	}
	return w
}

// end counts what the walk did and returns it to the pool.
func (w *walk) end(ctx context.Context) {
	w.resource, w.service = pcommon.Resource{}, nil
	w.p.telemetry.rejected(ctx, &w.attributes, &w.body)
	w.p.telemetry.count(ctx, &w.tally)
	if w.lookup != nil {
		w.lookup.forget()
	}
	w.p.walks.Put(w)
}

// process handles a batch. Duplicates are removed first, so that they are not counted as enriched.
func (w *walk) process(ctx context.Context, ld plog.Logs, audited bool) {
	w.audited = audited
	if w.p.deduplicator != nil {
		w.duplicates = w.p.deduplicator.removeFrom(ctx, ld)
	}
	if w.lookup != nil {
		w.lookup.begin()
		w.lookup.last = audited || w.p.keeper == nil
	}
	for _, rl := range ld.ResourceLogs().All() {
		w.resource = rl.Resource()
		w.service = w.of(w.resource)
		for _, sl := range rl.ScopeLogs().All() {
			for _, record := range sl.LogRecords().All() {
				w.record(record)
			}
		}
	}
	if w.lookup != nil {
		w.lookUp(ctx, ld)
	}
}

// record gives a record the ids that it states, or leaves it to the index.
func (w *walk) record(record plog.LogRecord) {
	if w.decide(record) {
		w.apply(record)
	}
	d := &w.decision
	// After a conflict, less trusted sources are not used.
	asked := w.lookup != nil && !d.Conflict && w.lookup.add(w.resource, record)
	switch {
	case d.Changed():
		w.enriched[d.Source]++
		w.service.stated++
	case d.Found():
		w.valid++
		w.service.stated++
	case d.Conflict:
		w.service.without[conflicting]++
	case !asked:
		w.service.without[noKey]++
	}
}

// decide considers the sources in their order. It does not parse the body for flags alone. It
// returns false if nothing is to be applied.
func (w *walk) decide(record plog.LogRecord) bool {
	d := &w.decision
	d.Begin(record.TraceID(), record.SpanID(), uint8(record.Flags()&flagBits))
	if !w.p.config.Overwrite {
		if d.ConsiderOwn(); d.Complete() && !w.p.config.RemoveSource {
			return false
		}
	}
	w.readAttributes(record.Attributes())
	d.Consider(&w.attributes, tracecontext.Custom, tracecontext.SourceFields)
	d.Consider(&w.attributes, tracecontext.Plain, tracecontext.SourceAttribute)
	d.Consider(&w.attributes, tracecontext.Vendor, tracecontext.SourceVendor)
	if w.nested && d.Open() {
		// A log shipper may have made attributes of the objects in a line of JSON.
		w.body.Reset()
		w.readInner(record.Attributes())
		d.ConsiderEach(&w.body, tracecontext.SourceBody)
	}
	unstructured := ""
	if d.Open() {
		unstructured = w.readBody(record.Body())
		d.ConsiderEach(&w.body, tracecontext.SourceBody)
	}
	d.Consider(&w.attributes, tracecontext.Parent, tracecontext.SourceTraceparent)
	if unstructured != "" && d.Open() {
		w.body.Reset()
		w.p.keys.Scan(unstructured, &w.body)
		d.Consider(&w.body, tracecontext.All, tracecontext.SourceText)
	}
	if w.p.config.Overwrite {
		d.ConsiderOwn()
	}
	return true
}

// apply writes what was decided.
func (w *walk) apply(record plog.LogRecord) {
	d := &w.decision
	if d.Conflict {
		record.Attributes().PutBool(conflictKey, true)
		w.conflicts++
	}
	if !d.Found() {
		return
	}
	if d.Changed() {
		record.SetTraceID(d.TraceID())
		record.SetSpanID(d.SpanID())
	}
	if flags, ok := d.Flags(); ok {
		record.SetFlags(record.Flags()&^flagBits | plog.LogRecordFlags(flags))
	}
	if w.p.config.RemoveSource && w.attributes.Any() {
		flags := uint8(record.Flags() & flagBits)
		record.Attributes().RemoveIf(func(name string, value pcommon.Value) bool { return w.isRedundant(name, value, flags) })
	}
}

// isRedundant reports whether an attribute only repeats what the record's own fields contain.
func (w *walk) isRedundant(name string, value pcommon.Value, flags uint8) bool {
	key := w.p.keys.Find(name)
	if key == nil {
		return false
	}
	w.one.Reset()
	add(&w.one, key, 0, value)
	return w.attributes.Repeats(key, &w.one, &w.decision, flags)
}

func (w *walk) readAttributes(attributes pcommon.Map) {
	w.attributes.Reset()
	w.nested = false
	for name, value := range attributes.All() {
		if key := w.p.keys.Find(name); key != nil {
			add(&w.attributes, key, 0, value)
		} else if value.Type() == pcommon.ValueTypeMap {
			w.nested = true
		}
	}
}

// readBody adds the ids of a structured body. It returns the text of an unstructured one.
func (w *walk) readBody(body pcommon.Value) (unstructured string) {
	w.body.Reset()
	switch body.Type() {
	case pcommon.ValueTypeMap:
		for name, value := range body.Map().All() {
			if key := w.p.keys.Find(name); key != nil {
				add(&w.body, key, 0, value)
			}
		}
		w.readInner(body.Map())
	case pcommon.ValueTypeStr:
		if text := body.Str(); !w.p.keys.JSON(text, &w.body) {
			return text
		}
	}
	return ""
}

// readInner adds the ids of the maps in a map.
func (w *walk) readInner(outer pcommon.Map) {
	number := 0
	for object, value := range outer.All() {
		if value.Type() != pcommon.ValueTypeMap || w.p.keys.Find(object) != nil {
			continue
		}
		number++
		for name, value := range value.Map().All() {
			if key, in := w.p.keys.FindInner(object, name, number); key != nil {
				add(&w.body, key, in, value)
			}
		}
	}
}

// add adds a value. A header comes as a slice, with one element for each value of the header.
func add(e *tracecontext.Evidence, key *tracecontext.Key, object int, value pcommon.Value) {
	if value.Type() == pcommon.ValueTypeSlice && value.Slice().Len() == 1 {
		value = value.Slice().At(0)
	}
	switch value.Type() {
	case pcommon.ValueTypeStr:
		e.AddText(key, object, value.Str())
	case pcommon.ValueTypeEmpty:
		e.AddText(key, object, "")
	case pcommon.ValueTypeInt, pcommon.ValueTypeBool:
		e.AddScalar(key, object, value.AsString())
	case pcommon.ValueTypeDouble:
		// With an exponent it is no id: a float cannot hold 64 bits.
		e.AddScalar(key, object, strconv.FormatFloat(value.Double(), 'e', -1, 64))
	}
}

// lookUp gives records the ids that the index knows. It moves records that are to be held out of
// the batch.
func (w *walk) lookUp(ctx context.Context, ld plog.Logs) {
	l := w.lookup
	reached := l.run(ctx)
	pending := pendingOf(ctx)
	if w.audited || w.p.keeper == nil {
		pending = nil
	}
	if pending != nil {
		pending.held = w.p.keeper.take(ld, l.records)
	}
	held := pending != nil && len(pending.held) > 0
	for i := range l.records {
		r := &l.records[i]
		r.waits = r.waits && held
		if r.waits || r.found {
			continue
		}
		if !r.half {
			w.of(r.resource).without[r.why]++
		}
		if r.several {
			w.ambiguous++
		}
	}
	if reached && len(l.records) > 0 {
		l.join(ctx)
	}
}
