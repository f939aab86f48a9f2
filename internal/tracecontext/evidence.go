package tracecontext

// maxStatements is how many statements of one record are looked at. One with more
// is about many traces.
const maxStatements = 16

// Evidence gathers what a record, or a part of it, says of its ids. It is
// reusable, and not safe for concurrent use.
type Evidence struct {
	statements [maxStatements]statement
	n          int
	classes    Class // of the statements
	tooMany    bool
	// Rejected counts values that are no ids. Reset leaves it.
	Rejected [ReasonCount]int64
}

// Reset forgets what was said.
func (e *Evidence) Reset() { e.n, e.classes, e.tooMany = 0, 0, false }

// Any says whether anything was said.
func (e *Evidence) Any() bool { return e.n > 0 }

// statement returns the one that a key of an object belongs to, nil when there are
// too many.
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

// AddText takes down a value. Of a record whose values are in several objects,
// object tells which it is in; the outermost is 0.
func (e *Evidence) AddText(key *Key, object int, text string) {
	if n := key.format.digits(); n == len(text) && n > 0 && e.addDigits(key, object, text) {
		return
	}
	if s := e.statement(key, object); s != nil {
		if why := s.addText(key.format, text); why != Accepted {
			e.Rejected[why]++
		}
	}
}

// addDigits is AddText for a value of as many digits as its format has. It returns
// false, and takes nothing down, when they are no digits.
func (e *Evidence) addDigits(key *Key, object int, digits string) bool {
	var id trace
	var why Reason
	if key.format == formatSpan {
		n, ok := sixteenDigits(digits)
		if !ok {
			return false
		}
		id.lower, why = n, zeroOr(n)
	} else if id, why = wholeTrace(digits); why == NotHex {
		return false
	}
	if why != Accepted {
		e.Rejected[why]++
	}
	if s := e.statement(key, object); s == nil {
		return true
	} else if key.format == formatSpan {
		s.setSpan(id.lower, why)
	} else {
		s.setTrace(id, why)
	}
	return true
}

// AddNumber is AddText for a number, which only decimal ids and flags can be.
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

// AddNoNumber is AddNumber for a number that no id can be: one that is negative or
// has a fraction.
func (e *Evidence) AddNoNumber(key *Key, object int) {
	switch key.format {
	case formatTraceDatadog, formatTraceDecimal, formatSpanDecimal:
		e.reject(key, object, NotDecimal)
	}
}

// AddBool is AddText for a truth value, which only flags can be.
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

// reject takes down that a key has no id.
func (e *Evidence) reject(key *Key, object int, why Reason) {
	e.Rejected[why]++
	if s := e.statement(key, object); s != nil {
		switch key.format {
		case formatSpan, formatSpanTrimmed, formatSpanDecimal, formatTransaction:
			s.span = denied
		case formatFlags, formatSampled:
		default:
			s.trace = denied
		}
	}
}

// counts says whether a statement is one of some classes. What an object inside
// another says does not count where the outer one says in the same style that it
// has no id.
func (e *Evidence) counts(s *statement, classes Class) bool {
	if s.class&classes == 0 {
		return false
	}
	if s.object > 0 {
		for i := range e.n {
			if outer := &e.statements[i]; outer.object == 0 && outer.style == s.style && outer.trace == denied {
				return false
			}
		}
	}
	return true
}

// SaysNoMore says whether the statement of a key is about the trace and span that
// were decided, and the part of it that the key has adds nothing to them and to
// flags.
func (e *Evidence) SaysNoMore(key *Key, d *Decision, flags uint8) bool {
	for i := range e.n {
		if s := &e.statements[i]; s.style == key.style && s.object == 0 {
			return s.isOf(d.trace) && s.saysNoMore(key.format, d.span, flags)
		}
	}
	return false
}
