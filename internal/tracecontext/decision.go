package tracecontext

import "go.opentelemetry.io/collector/pdata/pcommon"

// Source is where a record's ids come from.
type Source uint8

// The sources.
const (
	SourceNative Source = iota // the record's own fields
	SourceFields
	SourceAttribute
	SourceVendor
	SourceBody
	SourceTraceparent
	SourceText
	SourceIndex // of spans with a key
	SourceCount
)

func (s Source) String() string {
	return [SourceCount]string{"native", "fields", "attribute", "vendor", "body", "traceparent", "text", "index"}[s]
}

// Decision settles on a record's ids. Its sources are considered one after the
// other, the most trusted first: what one has settled the next do not change, and
// only a source of the same trace fills in what is missing. It is reusable, and not
// safe for concurrent use.
type Decision struct {
	trace    trace
	span     uint64
	flags    uint8
	hasFlags bool

	// The record's own ids.
	ownTrace trace
	ownSpan  uint64

	Source   Source // of the first id that is not the record's own
	Conflict bool   // a source disagreed with itself, which ends the search
}

// Begin begins with a record's own ids as the most trusted. A span id without a
// trace id is none, and flags of zero may not have been set.
func (d *Decision) Begin(trace pcommon.TraceID, span pcommon.SpanID, flags uint8) {
	d.BeginWithout(trace, span)
	d.trace, d.span = d.ownTrace, d.ownSpan
	d.flags, d.hasFlags = flags, flags != 0
}

// BeginWithout begins with nothing. A record's own ids may come last.
func (d *Decision) BeginWithout(trace pcommon.TraceID, span pcommon.SpanID) {
	*d = Decision{ownTrace: traceOf(trace)}
	if !d.ownTrace.isZero() {
		d.ownSpan = spanNumber(span)
	}
}

// End takes the record's own ids as the least trusted.
func (d *Decision) End() {
	switch {
	case !d.Found():
		d.trace, d.span = d.ownTrace, d.ownSpan
	case d.trace == d.ownTrace && d.span == 0:
		d.span = d.ownSpan
	}
}

// TraceID returns the trace that was decided on.
func (d *Decision) TraceID() pcommon.TraceID { return d.trace.bytes() }

// SpanID returns the span that was decided on.
func (d *Decision) SpanID() pcommon.SpanID { return spanBytes(d.span) }

// Flags returns the flags of the ids, not ok when nothing stated any.
func (d *Decision) Flags() (flags uint8, ok bool) { return d.flags, d.hasFlags }

// Found says whether there is a trace id.
func (d *Decision) Found() bool { return !d.trace.isZero() }

// Changed says whether the ids are others than the record's own.
func (d *Decision) Changed() bool { return d.trace != d.ownTrace || d.span != d.ownSpan }

// Open says whether another source could add an id.
func (d *Decision) Open() bool { return !d.Conflict && (d.trace.isZero() || d.span == 0) }

// Settled says whether no source could add anything.
func (d *Decision) Settled() bool { return d.hasFlags && !d.Open() }

// Consider takes what evidence of some classes, together one source, adds.
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
		if added := d.Found() != hadTrace || (d.span != 0) != hadSpan; added && d.Source == SourceNative {
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
		case state == torn, state == named && d.Found() && id != d.trace:
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
		case state == torn, state == named && d.span != 0 && id != d.span:
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
