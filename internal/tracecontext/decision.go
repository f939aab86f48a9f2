// SPDX-License-Identifier: Apache-2.0

package tracecontext

import "go.opentelemetry.io/collector/pdata/pcommon"

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

	// The record's own ids.
	ownTrace trace
	ownSpan  uint64

	Source   Source // of the first id that is not the record's own
	Conflict bool   // a source contradicts itself, which ends the search
}

// Begin starts a decision with the record's own ids as the most trusted. A span id without a
// trace id is ignored. Flags of zero count as not set.
func (d *Decision) Begin(trace pcommon.TraceID, span pcommon.SpanID, flags uint8) {
	d.BeginEmpty(trace, span)
	d.trace, d.span = d.ownTrace, d.ownSpan
	d.flags, d.hasFlags = flags, flags != 0
}

// BeginEmpty starts a decision without ids. End can add the record's own ids at the end.
func (d *Decision) BeginEmpty(trace pcommon.TraceID, span pcommon.SpanID) {
	*d = Decision{ownTrace: traceOf(trace)}
	if !d.ownTrace.isZero() {
		d.ownSpan = spanNumber(span)
	}
}

// End considers the record's own ids as the least trusted source.
func (d *Decision) End() {
	switch {
	case !d.Found():
		d.trace, d.span = d.ownTrace, d.ownSpan
	case d.trace == d.ownTrace && d.span == 0:
		d.span = d.ownSpan
	}
}

// TraceID returns the chosen trace id, or zeros.
func (d *Decision) TraceID() pcommon.TraceID { return d.trace.bytes() }

// SpanID returns the chosen span id, or zeros.
func (d *Decision) SpanID() pcommon.SpanID { return spanBytes(d.span) }

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

// Consider adds what the statements of some classes, which together are one source, contain.
func (d *Decision) Consider(e *Evidence, classes Class, source Source) {
	if e.classes&classes != 0 && !d.Conflict {
		d.consider(e, classes, source)
	}
}

func (d *Decision) consider(e *Evidence, classes Class, source Source) {
	if d.Open() {
		hadTrace, hadSpan := d.Found(), d.span != 0
		d.considerTrace(e, classes)
		d.considerSpan(e, classes)
		if d.Conflict {
			if !hadTrace {
				d.trace = trace{}
			}
			if !hadSpan {
				d.span = 0
			}
			return
		}
		if added := d.Found() != hadTrace || (d.span != 0) != hadSpan; added && d.Source == SourceRecord {
			d.Source = source
		}
	}
	if d.Found() && !d.hasFlags {
		d.considerFlags(e, classes)
	}
}

func (d *Decision) considerTrace(e *Evidence, classes Class) {
	if d.Found() {
		return
	}
	for i := range e.n {
		s := &e.statements[i]
		if !e.counts(s, classes) {
			continue
		}
		switch id, state := s.wholeTrace(); {
		case state == conflicting, state == named && d.Found() && id != d.trace:
			d.Conflict = true
			return
		case state == named:
			d.trace = id
		}
	}
	d.Conflict = e.tooMany
}

func (d *Decision) considerSpan(e *Evidence, classes Class) {
	if d.Conflict || !d.Found() || d.span != 0 {
		return
	}
	for i := range e.n {
		s := &e.statements[i]
		if s.caller || !e.counts(s, classes) || !s.isOf(d.trace) {
			continue
		}
		switch id, state := s.innerSpan(); {
		case state == conflicting, state == named && d.span != 0 && id != d.span:
			d.Conflict = true
			return
		case state == named:
			d.span = id
		}
	}
}

func (d *Decision) considerFlags(e *Evidence, classes Class) {
	for i := range e.n {
		s := &e.statements[i]
		if s.hasFlags && e.counts(s, classes) && s.isOf(d.trace) && (s.caller || s.span != named || s.spanID == d.span) {
			d.flags, d.hasFlags = s.flags, true
			return
		}
	}
}
