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

// AddText adds a value. For a record with nested objects, object is the number of the object
// that holds the key; the outermost is 0.
func (e *Evidence) AddText(key *Key, object int, text string) {
	p, why := key.format.parse(text)
	e.add(key, object, p, why)
}

// AddScalar adds a value that is a number or a boolean, as JSON writes it.
func (e *Evidence) AddScalar(key *Key, object int, text string) {
	if key.format.scalar != nil {
		p, why := key.format.scalar(text)
		e.add(key, object, p, why)
	}
}

// Reject adds a value that is not an id.
func (e *Evidence) Reject(key *Key, object int, why Reason) { e.add(key, object, parts{}, why) }

func (e *Evidence) add(key *Key, object int, p parts, why Reason) {
	s := e.find(key, object)
	if s == nil {
		if e.n == maxStatements {
			e.tooMany = true
			return
		}
		s = &e.statements[e.n]
		*s = statement{class: key.class, caller: key.caller, style: key.style, object: object}
		e.n++
		e.classes |= key.class
	}
	if why == Accepted {
		s.add(&p)
		return
	}
	e.Rejected[why]++
	s.unknown |= key.format.unknown
}

// find returns the statement that a key of an object belongs to, or nil if there is none.
func (e *Evidence) find(key *Key, object int) *statement {
	for i := range e.n {
		if s := &e.statements[i]; s.style == key.style && s.object == object {
			return s
		}
	}
	return nil
}

// counts reports whether a statement belongs to one of the classes. A statement of an inner
// object does not count if the outer object has an invalid id in the same style.
func (e *Evidence) counts(s *statement, classes Class) bool {
	if s.class&classes == 0 {
		return false
	}
	for i := 0; i < e.n && s.object > 0; i++ {
		if outer := &e.statements[i]; outer.object == 0 && outer.style == s.style && outer.unknown&partTrace != 0 {
			return false
		}
	}
	return true
}

// traceID returns the trace id that statements of the classes state, or zero. It is not ok if
// they state several.
func (e *Evidence) traceID(classes Class) (id trace, ok bool) {
	for i := range e.n {
		s := &e.statements[i]
		if !e.counts(s, classes) {
			continue
		}
		stated, ok := s.traceID()
		if !ok || !stated.isZero() && !id.isZero() && stated != id {
			return trace{}, false
		}
		if !stated.isZero() {
			id = stated
		}
	}
	return id, !e.tooMany
}

// spanID returns the span id that statements of the classes state with a trace id, or zero. It
// is not ok if they state several.
func (e *Evidence) spanID(classes Class, traceID trace) (id uint64, ok bool) {
	for i := range e.n {
		s := &e.statements[i]
		if s.caller || !e.counts(s, classes) || !s.isOf(traceID) {
			continue
		}
		stated, ok := s.spanID()
		if !ok || stated != 0 && id != 0 && stated != id {
			return 0, false
		}
		if stated != 0 {
			id = stated
		}
	}
	return id, true
}

// flags returns the first flags that a statement of the classes states with the ids.
func (e *Evidence) flags(classes Class, traceID trace, span uint64) (flags uint8, ok bool) {
	for i := range e.n {
		s := &e.statements[i]
		if s.has&partFlags != 0 && e.counts(s, classes) && s.isOf(traceID) && (s.caller || s.has&partSpan == 0 || s.unknown&partSpan != 0 || s.span == span) {
			return s.flags, true
		}
	}
	return 0, false
}

// Repeats reports whether a value of a key, which is alone in value, only repeats the chosen ids
// and flags, and the other keys of its style are about the same span. A caller can then remove
// the key.
func (e *Evidence) Repeats(key *Key, value *Evidence, d *Decision, flags uint8) bool {
	s, own := e.find(key, 0), value.find(key, 0)
	if s == nil || own == nil || own.has == 0 || !s.isOf(d.trace) {
		return false
	}
	if own.onlySampled {
		flags &= flagSampled
	}
	span, ok := s.spanID()
	return ok && (span == 0 || span == d.span) &&
		(own.has&partTransaction == 0 || own.transaction == d.span) &&
		(own.has&partFlags == 0 || own.flags == flags)
}
