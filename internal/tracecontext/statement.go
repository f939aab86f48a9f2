// SPDX-License-Identifier: Apache-2.0

package tracecontext

// statement is what the keys of one style in one object state.
type statement struct {
	style, object int32
	class         Class
	caller        bool // the span is the caller's

	trace, span, upper part
	flags              uint8
	hasFlags           bool
	traceID            trace
	spanID             uint64
	transaction        uint64 // counts as the span if there is none
	upperHalf          uint64
}

// part is what a statement knows of one of its ids.
type part uint8

const (
	missing part = iota
	named
	conflicting // several different ids
	invalid     // a value that is not an id, even if another value is
)

// and returns the part after one more value. The value was rejected, or it is the same as the
// one before or another.
func (p part) and(why Reason, same bool) part {
	switch {
	case why != Accepted:
		return invalid
	case p == missing:
		return named
	case p == named && !same:
		return conflicting
	}
	return p
}

func (s *statement) addNumber(f format, n uint64) Reason {
	switch f {
	case formatTraceDatadog, formatTraceDecimal:
		return s.setTrace(trace{lower: n}, zeroOr(n))
	case formatSpanDecimal:
		return s.setSpan(n, zeroOr(n))
	case formatFlags:
		s.setFlags(uint8(n), true)
	case formatSampled:
		s.setFlags(uint8(n), n <= flagSampled)
	}
	return Accepted
}

func (s *statement) addText(f format, text string) Reason {
	switch f {
	case formatTrace:
		return s.setTrace(hexTrace(text))
	case formatTraceTrimmed:
		return s.setTrace(trimmedTrace(text))
	case formatTraceUUID:
		return s.setTrace(uuidTrace(text))
	case formatTraceGoogle:
		return s.setTrace(googleTrace(text))
	case formatTraceDatadog:
		if len(text) == traceDigits {
			return s.setTrace(hexTrace(text))
		}
		n, why := decimal(text)
		return s.setTrace(trace{lower: n}, why)
	case formatTraceDecimal:
		n, why := decimal(text)
		return s.setTrace(trace{lower: n}, why)
	case formatTraceUpper:
		return s.setUpper(hexSpan(text))
	case formatSpan:
		return s.setSpan(hexSpan(text))
	case formatSpanTrimmed:
		return s.setSpan(trimmedSpan(text))
	case formatSpanDecimal:
		return s.setSpan(decimal(text))
	case formatTransaction:
		id, why := hexSpan(text)
		if why == Accepted {
			s.transaction = id
		}
		return why
	case formatFlags:
		s.setFlags(hexFlags(text))
		return Accepted
	case formatSampled:
		s.setFlags(sampled(text))
		return Accepted
	case formatTraceparent:
		return s.setHeader(traceparent(text))
	case formatB3:
		return s.setHeader(b3(text))
	case formatXRay:
		return s.setHeader(xray(text))
	case formatUber:
		return s.setHeader(uber(text))
	default:
		return s.setHeader(cloudTrace(text))
	}
}

func (s *statement) setHeader(h header, why Reason) Reason {
	s.setTrace(h.trace, why)
	if why == Accepted && h.span != 0 {
		s.setSpan(h.span, Accepted)
	}
	s.setFlags(h.flags, h.hasFlags)
	return why
}

func (s *statement) setTrace(id trace, why Reason) Reason {
	s.trace = s.trace.and(why, id == s.traceID)
	s.traceID = id
	return why
}

func (s *statement) setSpan(id uint64, why Reason) Reason {
	s.span = s.span.and(why, id == s.spanID)
	s.spanID = id
	return why
}

// setUpper sets the upper half of a trace id. Zeros and placeholders mean an id of 64 bits. An
// upper half that cannot be parsed makes the whole id unknown.
func (s *statement) setUpper(half uint64, why Reason) Reason {
	if why != Zero && why != Placeholder {
		s.upper = s.upper.and(why, half == s.upperHalf)
		s.upperHalf = half
	}
	return why
}

// setFlags sets the flags, unless they are set already.
func (s *statement) setFlags(flags uint8, ok bool) {
	if ok && !s.hasFlags {
		s.flags, s.hasFlags = flags, true
	}
}

// wholeTrace returns the statement's trace id with both halves.
func (s *statement) wholeTrace() (trace, part) {
	if s.trace != named || s.upper == missing {
		return s.traceID, s.trace
	}
	switch s.traceID.upper {
	case 0, s.upperHalf:
		return trace{s.upperHalf, s.traceID.lower}, s.upper
	default:
		return s.traceID, conflicting
	}
}

// isOf reports whether the statement is about a trace.
func (s *statement) isOf(of trace) bool {
	id, state := s.wholeTrace()
	return state == named && id == of
}

// innerSpan returns the statement's span or, without one, its transaction.
func (s *statement) innerSpan() (uint64, part) {
	if s.span == missing && s.transaction != 0 {
		return s.transaction, named
	}
	return s.spanID, s.span
}

func (s *statement) addsNothing(f format, span uint64, flags uint8) bool {
	if s.span == conflicting || s.span == named && s.spanID != span {
		return false
	}
	switch f {
	case formatSpan, formatSpanTrimmed, formatSpanDecimal:
		return s.span == named
	case formatTransaction:
		return s.transaction == span
	case formatFlags, formatTraceparent:
		return !s.hasFlags || s.flags == flags
	case formatSampled, formatB3, formatXRay, formatUber, formatCloudTrace:
		return !s.hasFlags || s.flags == flags&flagSampled
	}
	return true
}
