package logcorrelationprocessor

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/internal/correlation"
)

// answer is what the index says about one key of a record.
type answer struct {
	kind  answerKind
	trace pcommon.TraceID
	span  pcommon.SpanID // empty: only the trace is known
	flags uint8          // of the span
}

type answerKind uint8

const (
	unanswered answerKind = iota // the index was not reached
	nobody                       // has the key so far
	nothing                      // is to be had from it, now or later
	several                      // traces have the key
	found
)

// spanOf says which span a record belongs to. A log that stands for a span was written
// in an earlier stage, not by the span that has the key.
func spanOf(members []correlation.Member, traceOnly bool) answer {
	a := answer{kind: nobody}
	for i := range members {
		m := &members[i]
		switch {
		case m.Log:
		case a.kind == nobody:
			a = answer{found, m.TraceID, m.SpanID, m.Flags}
		case m.TraceID != a.trace:
			return answer{kind: several}
		default:
			traceOnly = true
		}
	}
	if traceOnly {
		a.span, a.flags = pcommon.SpanID{}, 0
	}
	return a
}

// wholeTrace says which trace an id means of which only the lower half is known.
func wholeTrace(members []correlation.Member) answer {
	a := answer{kind: nobody}
	for i := range members {
		switch id := members[i].TraceID; {
		case isHalf(id):
			return answer{kind: nothing} // it is all of an id
		case a.kind == nobody:
			a = answer{kind: found, trace: id}
		case id != a.trace:
			a.kind = several
		}
	}
	return a
}

// isHalf tells whether the upper 8 bytes of a trace id are unknown.
func isHalf(id pcommon.TraceID) bool { return [8]byte(id[:8]) == [8]byte{} }

// giveIDs gives a record the ids of an answer that is found.
func (a *answer) giveIDs(record plog.LogRecord) {
	half := !record.TraceID().IsEmpty()
	record.SetTraceID(a.trace)
	if half {
		return // the span is its own
	}
	record.SetSpanID(a.span)
	if record.Flags()&flagBits == 0 {
		record.SetFlags(record.Flags() | plog.LogRecordFlags(a.flags))
	}
}
