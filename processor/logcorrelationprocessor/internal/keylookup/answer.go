// SPDX-License-Identifier: Apache-2.0

// Package keylookup finds the keys of a log record in its texts, and decides which span it
// belongs to, from what the index knows about its keys.
package keylookup

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// Answer is what the index knows about one key of a record.
type Answer struct {
	Kind  Kind
	Trace pcommon.TraceID
	Span  pcommon.SpanID // empty: only the trace is known
	Flags uint8          // of the span
	// By is the evidence of the record's process that the trace has.
	By correlation.Evidence
}

// Kind is the kind of an answer.
type Kind uint8

// The kinds of answers.
const (
	Unanswered Kind = iota // the index was not reached
	Nobody                 // no span has the key so far
	Nothing                // the key gives no ids, now or later
	NoProcess              // requests are split, and the process of the record is not known
	Several                // spans of several traces have the key
	Found
)

// And returns the answer to a record that has both keys. It belongs to a trace only if all its keys
// do.
func (a Answer) And(other Answer) Answer {
	if a.Kind != Found {
		a, other = other, a
	}
	switch {
	case a.Kind != Found: // none of the two
		return Answer{Kind: max(a.Kind, other.Kind)}
	case other.Kind != Found:
		return Answer{Kind: other.Kind}
	case a.Trace != other.Trace:
		return Answer{Kind: Several}
	case a.Span != other.Span:
		return Answer{Kind: Found, Trace: a.Trace}
	}
	return a
}

// SpanOf returns the span that a record belongs to. A log that stands for a span was written
// in an earlier stage, not by the span that has the key.
func SpanOf(members []correlation.Member, traceOnly bool, written Time) Answer {
	a := Answer{Kind: Nobody}
	for i := range members {
		m := &members[i]
		switch {
		case m.Log || !written.isIn(m):
		case a.Kind == Nobody:
			a = Answer{Kind: Found, Trace: m.TraceID, Span: m.SpanID, Flags: m.Flags}
		case m.TraceID != a.Trace:
			return Answer{Kind: Several}
		default:
			traceOnly = true
		}
	}
	if traceOnly {
		a.Span, a.Flags = pcommon.SpanID{}, 0
	}
	return a
}

// WholeTrace returns the trace of an id whose upper half is unknown.
func WholeTrace(members []correlation.Member) Answer {
	a := Answer{Kind: Nobody}
	for i := range members {
		switch id := members[i].TraceID; {
		case IsHalf(id):
			return Answer{Kind: Nothing} // it is all of an id
		case a.Kind == Nobody:
			a = Answer{Kind: Found, Trace: id}
		case id != a.Trace:
			a.Kind = Several
		}
	}
	return a
}

// IsHalf reports whether the upper 8 bytes of a trace id are unknown.
func IsHalf(id pcommon.TraceID) bool { return [8]byte(id[:8]) == [8]byte{} }

// Time is when a record was written, as exactly as it says: between the two. The zero Time is
// unknown.
type Time struct{ first, last pcommon.Timestamp }

// TimeOf returns the time of a timestamp. Texts have no more than microseconds, milliseconds or
// seconds, and cut off the rest.
func TimeOf(timestamp pcommon.Timestamp) Time {
	if timestamp == 0 {
		return Time{}
	}
	for _, unit := range [...]time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if timestamp%pcommon.Timestamp(unit) == 0 {
			return Time{timestamp, timestamp + pcommon.Timestamp(unit) - 1}
		}
	}
	return Time{timestamp, timestamp}
}

// tolerance is how far the clocks of two processes of a host may be apart, and how late a process may write a line.
const tolerance = pcommon.Timestamp(100 * time.Millisecond)

// isIn reports whether a record may have been written while a span lasted.
func (t Time) isIn(m *correlation.Member) bool {
	return t == Time{} || m.Start <= t.last+tolerance && t.first <= m.End+tolerance
}
