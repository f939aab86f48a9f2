package tracecontext

import "strings"

// maxBrackets bounds the text between brackets, in bytes: an application's name and the ids.
const maxBrackets = 159

// scanBrackets adds the ids in the brackets that Spring writes: [application,trace,span], the
// same with an exported flag at its end, and [trace-span]. The text begins after the opening
// bracket.
func (e *Evidence) scanBrackets(text string) {
	inside := text[:min(len(text), maxBrackets)]
	if end := strings.IndexByte(inside, ']'); end > traceDigits {
		e.addBrackets(inside[:end])
	}
}

func (e *Evidence) addBrackets(inside string) {
	if dash := len(inside) - spanDigits - 1; inside[dash] == '-' && (dash == traceDigits || dash == halfDigits) {
		e.addSpring(inside[:dash], inside[dash+1:], "")
		return
	}
	_, ids, found := strings.Cut(inside, ",")
	if !found {
		return
	}
	trace, rest, _ := strings.Cut(ids, ",")
	span, exported, more := strings.Cut(rest, ",")
	if more && exported != "true" && exported != "false" {
		return
	}
	e.addSpring(trace, span, exported)
}

// addSpring adds the ids. Brackets that contain anything else are not from Spring.
func (e *Evidence) addSpring(trace, span, exported string) {
	traceID, why := hexTrace(trace)
	if why != Accepted {
		return
	}
	spanID, why := hexSpan(span)
	if why != Accepted {
		return
	}
	if s := e.statement(&spring, 0); s != nil {
		s.setTrace(traceID, Accepted)
		s.setSpan(spanID, Accepted)
		s.setFlags(sampled(exported))
	}
}

var spring = Key{class: Plain, style: springStyle}
