// SPDX-License-Identifier: Apache-2.0

package tracecontext

import "strings"

// header is the content of a propagation header. Its span is the caller's.
type header struct {
	trace    trace
	span     uint64 // 0: none
	flags    uint8
	hasFlags bool
}

// traceparentLength is the length of version 00 in bytes: version, trace, span and flags.
const traceparentLength = 2 + 1 + traceDigits + 1 + spanDigits + 1 + 2

// traceparent parses the header of W3C Trace Context. Future versions may add fields after a
// dash.
func traceparent(text string) (h header, why Reason) {
	if len(text) < traceparentLength {
		return h, lengthReason(text)
	}
	version, ok := hexFlags(text[:2])
	switch {
	case !ok:
		return h, NotHex
	case version == 0xff:
		return h, Version
	case len(text) > traceparentLength && (version == 0 || text[traceparentLength] != '-'),
		text[2] != '-', text[35] != '-', text[52] != '-':
		return h, Length
	}
	if h.trace, why = hexTrace(text[3:35]); why != Accepted {
		return h, why
	}
	if h.span, why = hexSpan(text[36:52]); why != Accepted {
		return h, why
	}
	h.flags, h.hasFlags = hexFlags(text[53:55])
	if !h.hasFlags {
		return h, NotHex
	}
	return h, Accepted
}

// b3 parses the single B3 header: trace and span, optionally a sampling decision and the
// parent. A header that is only a decision has no ids.
func b3(text string) (h header, why Reason) {
	id, rest, found := strings.Cut(text, "-")
	if !found {
		return h, lengthReason(text)
	}
	span, rest, _ := strings.Cut(rest, "-")
	if h, why = trimmedIDs(id, span); why != Accepted {
		return h, why
	}
	decision, _, _ := strings.Cut(rest, "-")
	h.flags, h.hasFlags = sampled(decision)
	return h, Accepted
}

// xray parses the header of AWS X-Ray, or a trace id alone.
func xray(text string) (h header, why Reason) {
	why = lengthReason(text)
	for text != "" {
		var field string
		field, text, _ = strings.Cut(text, ";")
		field = strings.TrimSpace(field)
		name, value, named := strings.Cut(field, "=")
		switch {
		case field == "":
		case !named:
			if h.trace, why = xrayTrace(field); why != Accepted {
				return h, why
			}
		case name == "Root":
			if h.trace, why = xrayTrace(value); why != Accepted {
				return h, why
			}
		case name == "Parent":
			h.span, _ = hexSpan(value)
		case name == "Sampled":
			h.flags, h.hasFlags = sampled(value)
		}
	}
	return h, why
}

// xrayTrace parses a trace id of AWS X-Ray: a version, 8 digits of the time, and 24 more
// digits.
func xrayTrace(text string) (id trace, why Reason) {
	if len(text) != len("1-")+8+len("-")+24 || text[:2] != "1-" || text[10] != '-' {
		return id, lengthReason(text)
	}
	time, ok1 := hex(text[2:10])
	upper, ok2 := hex(text[11:19])
	lower, ok3 := hex(text[19:])
	if !ok1 || !ok2 || !ok3 {
		return id, NotHex
	}
	id = trace{time<<32 | upper, lower}
	return id, zeroOr(id.upper | id.lower)
}

// uber parses Jaeger's header: trace, span, parent and flags. Its colons may be
// percent-encoded.
func uber(text string) (h header, why Reason) {
	id, rest, found := cutColon(text)
	if !found {
		return h, lengthReason(text)
	}
	span, rest, ok1 := cutColon(rest)
	_, flags, ok2 := cutColon(rest)
	if !ok1 || !ok2 {
		return h, Length
	}
	if h, why = trimmedIDs(id, span); why != Accepted {
		return h, why
	}
	h.flags, h.hasFlags = hexFlags(flags)
	h.flags &= flagSampled // the other bits are Jaeger's own
	return h, Accepted
}

// trimmedIDs parses ids whose leading zeros may be missing.
func trimmedIDs(trace, span string) (h header, why Reason) {
	if h.trace, why = trimmedTrace(trace); why == Accepted {
		h.span, why = trimmedSpan(span)
	}
	return h, why
}

func cutColon(text string) (before, after string, found bool) {
	colon, escaped := strings.IndexByte(text, ':'), strings.Index(text, "%3")
	if escaped >= 0 && (colon < 0 || escaped < colon) && len(text) > escaped+2 && text[escaped+2]|0x20 == 'a' {
		return text[:escaped], text[escaped+3:], true
	}
	return strings.Cut(text, ":")
}

// cloudTrace parses Google's header: trace, decimal span and options.
func cloudTrace(text string) (h header, why Reason) {
	text, options, _ := strings.Cut(text, ";")
	id, span, _ := strings.Cut(text, "/")
	if len(id) != traceDigits {
		return h, lengthReason(id)
	}
	if h.trace, why = hexTrace(id); why != Accepted {
		return h, why
	}
	h.span, _ = decimal(span)
	if option, ok := strings.CutPrefix(options, "o="); ok {
		h.flags, h.hasFlags = sampled(option)
	}
	return h, Accepted
}

// googleTrace parses the id that Google's logging agents write: the trace id alone, or the
// resource name projects/P/traces/T.
func googleTrace(text string) (trace, Reason) {
	if strings.HasPrefix(text, "projects/") {
		if at := strings.LastIndex(text, "/traces/"); at >= 0 {
			text = text[at+len("/traces/"):]
		}
	}
	return hexTrace(text)
}
