// SPDX-License-Identifier: Apache-2.0

package tracecontext

import "strings"

// traceparentLength is the length of version 00 in bytes: version, trace, span and flags.
const traceparentLength = 2 + 1 + traceDigits + 1 + spanDigits + 1 + 2

// traceparent parses the header of W3C Trace Context. Future versions may add fields after a
// dash.
func traceparent(text string) (p parts, why Reason) {
	if len(text) < traceparentLength {
		return p, lengthReason(text)
	}
	version, ok := flagsIn(text[:2])
	switch {
	case !ok:
		return p, NotHex
	case version == 0xff:
		return p, Version
	case len(text) > traceparentLength && (version == 0 || text[traceparentLength] != '-'),
		text[2] != '-', text[35] != '-', text[52] != '-':
		return p, Length
	}
	flags, ok := flagsIn(text[53:55])
	if p, why = contextOf(text[3:35], hexTrace, text[36:52], hexSpan); why == Accepted && !ok {
		why = NotHex
	}
	return withFlags(p, flags, ok), why
}

// contextOf parses the ids of a header. It rejects both if one of them is not an id.
func contextOf(trace string, parseTrace func(string) (trace, Reason), span string, parseSpan func(string) (uint64, Reason)) (p parts, why Reason) {
	if p.trace, why = parseTrace(trace); why == Accepted {
		p.span, why = parseSpan(span)
	}
	p.has = partTrace | partSpan
	return p, why
}

// b3 parses the single B3 header: trace and span, optionally a sampling decision and the
// parent. A header that is only a decision has no ids.
func b3(text string) (p parts, why Reason) {
	id, rest, found := strings.Cut(text, "-")
	if !found {
		return p, lengthReason(text)
	}
	span, rest, _ := strings.Cut(rest, "-")
	decision, _, _ := strings.Cut(rest, "-")
	p, why = contextOf(id, trimmedTrace, span, trimmedSpan)
	return withSampled(p, decision), why
}

// xray parses the header of AWS X-Ray, or a trace id alone.
func xray(text string) (p parts, why Reason) {
	why = lengthReason(text)
	for field := range strings.SplitSeq(text, ";") {
		field = strings.TrimSpace(field)
		name, value, named := strings.Cut(field, "=")
		switch {
		case field == "":
		case !named, name == rootField:
			if p.trace, why = xrayTrace(strings.TrimPrefix(field, rootField+"=")); why != Accepted {
				return p, why
			}
			p.has |= partTrace
		case name == "Parent":
			if span, why := hexSpan(value); why == Accepted {
				p.has |= partSpan
				p.span = span
			}
		case name == "Sampled":
			p = withSampled(p, value)
		}
	}
	return p, why
}

// xrayTrace parses a trace id of AWS X-Ray: a version, 8 digits of the time, and 24 more
// digits.
func xrayTrace(text string) (id trace, why Reason) {
	if len(text) != len("1-")+8+len("-")+24 || text[:2] != "1-" || text[10] != '-' {
		return id, lengthReason(text)
	}
	return digitsOf(text[2:10] + text[11:])
}

// uber parses Jaeger's header: trace, span, parent and flags. Its colons may be
// percent-encoded.
func uber(text string) (p parts, why Reason) {
	id, rest, found := cutColon(text)
	if !found {
		return p, lengthReason(text)
	}
	span, rest, ok1 := cutColon(rest)
	_, digits, ok2 := cutColon(rest)
	if !ok1 || !ok2 {
		return p, Length
	}
	p, why = contextOf(id, trimmedTrace, span, trimmedSpan)
	p.onlySampled = true // the other bits are Jaeger's own
	flags, ok := flagsIn(digits)
	return withFlags(p, flags&flagSampled, ok), why
}

func cutColon(text string) (before, after string, found bool) {
	colon, escaped := strings.IndexByte(text, ':'), strings.Index(text, "%3")
	if escaped >= 0 && (colon < 0 || escaped < colon) && len(text) > escaped+2 && text[escaped+2]|0x20 == 'a' {
		return text[:escaped], text[escaped+3:], true
	}
	return strings.Cut(text, ":")
}

// cloudTrace parses Google's header: trace, decimal span and options.
func cloudTrace(text string) (p parts, why Reason) {
	text, options, _ := strings.Cut(text, ";")
	id, digits, _ := strings.Cut(text, "/")
	if len(id) != traceDigits {
		return p, lengthReason(id)
	}
	p.trace, why = hexTrace(id)
	p.has = partTrace
	if span, why := decimal(digits); why == Accepted {
		p.has |= partSpan
		p.span = span
	}
	return withSampled(p, strings.TrimPrefix(options, "o=")), why
}
