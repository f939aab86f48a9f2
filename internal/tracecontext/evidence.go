// SPDX-License-Identifier: Apache-2.0

package tracecontext

// maxStatements bounds the statements of one record. A record with more is about many traces.
const maxStatements = 16

// Evidence collects what a record, or a part of it, states about its ids. It is reusable, and
// not safe for concurrent use.
type Evidence struct {
	statements [maxStatements]statement
	n          int
	classes    Class // of the statements
	tooMany    bool
	// Rejected counts the values that are not ids, by reason. Reset keeps the counts.
	Rejected [ReasonCount]int64
}

// Reset removes all statements.
func (e *Evidence) Reset() { e.n, e.classes, e.tooMany = 0, 0, false }

// Any reports whether there are statements.
func (e *Evidence) Any() bool { return e.n > 0 }

// statement returns the statement that a key of an object belongs to, or nil when there are too
// many.
func (e *Evidence) statement(key *Key, object int) *statement {
	for i := range e.n {
		if s := &e.statements[i]; s.style == key.style && s.object == int32(object) {
			return s
		}
	}
	if e.n == maxStatements {
		e.tooMany = true
		return nil
	}
	s := &e.statements[e.n]
	*s = statement{class: key.class, caller: key.caller, style: key.style, object: int32(object)}
	e.n++
	e.classes |= key.class
	return s
}

// AddText adds a value. For a record with nested objects, object is the number of the object
// that holds the key; the outermost is 0.
func (e *Evidence) AddText(key *Key, object int, text string) {
	if s := e.statement(key, object); s != nil {
		if why := s.addText(key.format, text); why != Accepted {
			e.Rejected[why]++
		}
	}
}

// AddNumber adds a number, which only decimal ids and flags can be.
func (e *Evidence) AddNumber(key *Key, object int, n uint64) {
	switch key.format {
	case formatTraceDatadog, formatTraceDecimal, formatSpanDecimal, formatFlags, formatSampled:
		if s := e.statement(key, object); s != nil {
			if why := s.addNumber(key.format, n); why != Accepted {
				e.Rejected[why]++
			}
		}
	}
}

// AddInvalidNumber adds a number that no id can be: a negative one, or one with a fraction.
func (e *Evidence) AddInvalidNumber(key *Key, object int) {
	switch key.format {
	case formatTraceDatadog, formatTraceDecimal, formatSpanDecimal:
		e.reject(key, object, NotDecimal)
	}
}

// AddBool adds a boolean, which only flags can be.
func (e *Evidence) AddBool(key *Key, object int, is bool) {
	if key.format != formatSampled {
		return
	}
	if s := e.statement(key, object); s != nil {
		s.setFlags(0, true)
		if is {
			s.flags = flagSampled
		}
	}
}

// reject records that the value of a key is not an id.
func (e *Evidence) reject(key *Key, object int, why Reason) {
	e.Rejected[why]++
	if s := e.statement(key, object); s != nil {
		switch key.format {
		case formatSpan, formatSpanTrimmed, formatSpanDecimal, formatTransaction:
			s.span = invalid
		case formatFlags, formatSampled:
		default:
			s.trace = invalid
		}
	}
}

// counts reports whether a statement belongs to one of the classes. A statement of an inner
// object does not count if the outer object has an invalid id in the same style.
func (e *Evidence) counts(s *statement, classes Class) bool {
	if s.class&classes == 0 {
		return false
	}
	if s.object > 0 {
		for i := range e.n {
			if outer := &e.statements[i]; outer.object == 0 && outer.style == s.style && outer.trace == invalid {
				return false
			}
		}
	}
	return true
}

// AddsNothing reports whether the key's statement is about the chosen trace and span, and the
// key's part of it adds nothing to them and to flags. A caller can then remove the key.
func (e *Evidence) AddsNothing(key *Key, d *Decision, flags uint8) bool {
	for i := range e.n {
		if s := &e.statements[i]; s.style == key.style && s.object == 0 {
			return s.isOf(d.trace) && s.addsNothing(key.format, d.span, flags)
		}
	}
	return false
}
