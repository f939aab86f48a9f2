// SPDX-License-Identifier: Apache-2.0

package tracecontext

// parts are the ids and flags that values state.
type parts struct {
	has         part
	trace       trace
	upper       uint64 // the upper half of a trace id, written apart
	span        uint64
	transaction uint64 // counts as the span if there is none
	flags       uint8
	onlySampled bool // only the lowest bit of flags is known
}

// part is a set of the parts of a statement.
type part uint8

const (
	partTrace part = 1 << iota
	partUpper
	partSpan
	partTransaction
	partFlags
)

// statement is what the keys of one style in one object state.
type statement struct {
	style, object int
	class         Class
	caller        bool // the span is the caller's
	parts
	several part // with different values
	unknown part // with a value that is not an id, even if another value is
}

// add adds the parts of one more value. The first flags count.
func (s *statement) add(p *parts) {
	merge(s, p.has&partTrace, &s.trace, p.trace)
	merge(s, p.has&partUpper, &s.upper, p.upper)
	merge(s, p.has&partSpan, &s.span, p.span)
	merge(s, p.has&partTransaction, &s.transaction, p.transaction)
	if s.has&partFlags == 0 {
		s.flags, s.onlySampled = p.flags, p.onlySampled
	}
	s.has |= p.has
}

// merge sets a part to a value, unless which is empty.
func merge[T comparable](s *statement, which part, value *T, stated T) {
	switch {
	case which == 0:
	case s.has&which == 0:
		*value = stated
	case *value != stated:
		s.several |= which
	}
}

// traceID returns the statement's trace id with both halves, or zero. It is not ok if there are
// several.
func (s *statement) traceID() (id trace, ok bool) {
	switch {
	case s.has&partTrace == 0 || s.unknown&(partTrace|partUpper) != 0:
		return trace{}, true
	case s.several&(partTrace|partUpper) != 0:
		return trace{}, false
	case s.has&partUpper == 0:
		return s.trace, true
	}
	return trace{s.upper, s.trace.lower}, s.trace.upper == 0 || s.trace.upper == s.upper
}

func (s *statement) isOf(traceID trace) bool {
	id, ok := s.traceID()
	return ok && id == traceID
}

// spanID returns the statement's span or, without one, its transaction. It is zero if there is
// neither, and not ok if there are several.
func (s *statement) spanID() (id uint64, ok bool) {
	switch {
	case s.unknown&partSpan != 0:
		return 0, true
	case s.has&partSpan == 0:
		return s.transaction, s.several&partTransaction == 0
	}
	return s.span, s.several&partSpan == 0
}
