package tracecontext

import "strings"

// maxBrackets is how much is looked for between brackets: an application's name
// and the ids.
const maxBrackets = 159

// scanBrackets takes down what Spring writes: [application,trace,span] with or
// without whether it is exported, and [trace-span]. The text is what comes after
// the opening bracket.
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

// addSpring takes down ids. Brackets with something else between them are not
// Spring's.
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
