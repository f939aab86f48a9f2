// SPDX-License-Identifier: Apache-2.0

// Package tracecontext decides which trace and span a log record belongs to, from its fields
// and its text.
//
//   - Keys knows the keys under which loggers write ids. Its table has the format of their
//     values, and how much each is trusted.
//   - Evidence collects what a record states under these keys. JSON and Scan read texts.
//   - Decision considers one source after the other, the most trusted first, and chooses one
//     trace and one span or finds that a source contradicts itself.
//
// Fields does all three for a caller that has parsed fields and a single source.
//
// A wrong id is worse than none. A value that is not exactly an id is rejected. A key that had
// one invalid value has no id. A span id counts only together with the trace id of the same
// style of key.
package tracecontext

import (
	"encoding/binary"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// IDs are the ids of a record. A zero id means that there is none.
type IDs struct {
	TraceID  pcommon.TraceID
	SpanID   pcommon.SpanID
	Flags    uint8
	HasFlags bool
}

// trace is a trace id as two numbers, which are faster to compare than its bytes.
type trace struct{ upper, lower uint64 }

func (t trace) isZero() bool { return t.upper|t.lower == 0 }

// Source is where the ids of a record come from.
type Source uint8

// The sources.
const (
	SourceRecord Source = iota // the record's own trace context fields
	SourceFields
	SourceAttribute
	SourceVendor
	SourceBody
	SourceTraceparent
	SourceText
	SourceIndex // the index of spans by key
	SourceCount
)

func (s Source) String() string {
	return [SourceCount]string{"native", "fields", "attribute", "vendor", "body", "traceparent", "text", "index"}[s]
}

// Decision chooses the ids of a record. It considers its sources one by one, the most trusted
// first. A later source never changes an id; it adds a missing one only if it states the same
// trace. A Decision is reusable, and not safe for concurrent use.
type Decision struct {
	trace    trace
	span     uint64
	flags    uint8
	hasFlags bool

	// The record's own.
	ownTrace trace
	ownSpan  uint64
	ownFlags uint8

	Source   Source // of the first id that is not the record's own
	Conflict bool   // a source contradicts itself, which ends the search
}

// Begin starts a decision about a record with ids and flags of its own. A span id without a
// trace id is ignored.
func (d *Decision) Begin(id pcommon.TraceID, span pcommon.SpanID, flags uint8) {
	*d = Decision{ownTrace: trace{binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:])}, ownFlags: flags}
	if !d.ownTrace.isZero() {
		d.ownSpan = binary.BigEndian.Uint64(span[:])
	}
}

// ConsiderOwn considers the record's own ids and flags, as the first source or as the last.
// Flags of zero count as not set.
func (d *Decision) ConsiderOwn() {
	switch {
	case !d.Found():
		d.trace, d.span = d.ownTrace, d.ownSpan
	case d.trace == d.ownTrace && d.span == 0:
		d.span = d.ownSpan
	}
	if !d.hasFlags {
		d.flags, d.hasFlags = d.ownFlags, d.ownFlags != 0
	}
}

// Consider adds what the statements of some classes, which together are one source, contain.
func (d *Decision) Consider(e *Evidence, classes Class, source Source) {
	if e.classes&classes == 0 || d.Conflict {
		return
	}
	id, span := d.trace, d.span
	ok := true
	if id.isZero() {
		id, ok = e.traceID(classes)
	}
	if ok && span == 0 && !id.isZero() {
		span, ok = e.spanID(classes, id)
	}
	if !ok {
		d.Conflict = true
		return
	}
	if d.Source == SourceRecord && (id != d.trace || span != d.span) {
		d.Source = source
	}
	d.trace, d.span = id, span
	if d.Found() && !d.hasFlags {
		d.flags, d.hasFlags = e.flags(classes, id, span)
	}
}

// ConsiderEach considers each class of the evidence, which are several sources of one name.
func (d *Decision) ConsiderEach(e *Evidence, source Source) {
	for class := Custom; class <= Parent; class <<= 1 {
		d.Consider(e, class, source)
	}
}

// TraceID returns the chosen trace id, or zeros.
func (d *Decision) TraceID() (id pcommon.TraceID) {
	binary.BigEndian.PutUint64(id[:8], d.trace.upper)
	binary.BigEndian.PutUint64(id[8:], d.trace.lower)
	return id
}

// SpanID returns the chosen span id, or zeros.
func (d *Decision) SpanID() (id pcommon.SpanID) {
	binary.BigEndian.PutUint64(id[:], d.span)
	return id
}

// Flags returns the trace flags that belong to the ids. It is not ok when no source stated any.
func (d *Decision) Flags() (flags uint8, ok bool) { return d.flags, d.hasFlags }

// Found reports whether there is a trace id.
func (d *Decision) Found() bool { return !d.trace.isZero() }

// Changed reports whether the ids differ from the record's own.
func (d *Decision) Changed() bool { return d.trace != d.ownTrace || d.span != d.ownSpan }

// Open reports whether another source could add an id.
func (d *Decision) Open() bool { return !d.Conflict && (d.trace.isZero() || d.span == 0) }

// Complete reports whether no source could add an id or flags.
func (d *Decision) Complete() bool { return d.hasFlags && !d.Open() }

// Fields collects the ids from fields that a parser has split, where all fields are equally
// trusted. The zero value is ready to use. It is reusable, and not safe for concurrent use.
type Fields struct {
	evidence Evidence
}

// common are the keys that need no configuration.
var common = NewKeys(nil, false)

// Reset removes all fields.
func (f *Fields) Reset() { f.evidence.Reset() }

// Add adds a field. It returns false for a key that does not hold ids.
func (f *Fields) Add(key, value string) bool {
	known := common.Find(key)
	if known == nil {
		return false
	}
	f.evidence.AddText(known, 0, value)
	return true
}

// Decide returns the ids that the fields state, or zeros. It returns false when they conflict.
func (f *Fields) Decide() (ids IDs, ok bool) {
	var d Decision
	d.Consider(&f.evidence, All, SourceFields)
	return IDs{TraceID: d.TraceID(), SpanID: d.SpanID(), Flags: d.flags, HasFlags: d.hasFlags}, !d.Conflict
}
