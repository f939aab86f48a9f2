// SPDX-License-Identifier: Apache-2.0

package tracecontext

import (
	"math/bits"
	"strings"
)

// The parts of a long text that are searched, in bytes: log lines begin or end with their ids.
const (
	scanHead = 4 << 10
	scanTail = 1 << 10
)

// maxValue is longer than any value that holds ids, in bytes.
const maxValue = 256

// Scan adds the ids that a text contains in the forms key=value, key: value and "key": "value",
// and between Spring's brackets. The whole text is one source. Scan adds nothing if the text
// contains an object whose ids may be another span's.
func (k *Keys) Scan(text string, e *Evidence) {
	objects := true
	if len(text) <= scanHead+scanTail {
		objects = k.scan(text, 0, len(text), e)
	} else {
		k.scan(text, 0, scanHead, e)
		k.scan(text, len(text)-scanTail, len(text), e)
	}
	if objects && e.Any() && isAmbiguous(text) {
		e.Reset()
	}
}

// scan adds the values that begin in text[from:to]. A value that ends after it is read to its
// end, because a part of an id could be another id. It reports whether the text may contain
// objects.
func (k *Keys) scan(text string, from, to int, e *Evidence) (objects bool) {
	if t := text[from:to]; strings.IndexByte(t, '=') < 0 && strings.IndexByte(t, ':') < 0 && strings.IndexByte(t, '[') < 0 {
		return false // most texts without ids
	}
	for word := from; word < to; word += wordBytes {
		for found := separators(bytesAt(text[:to], word)); found != 0; found &= found - 1 {
			at := word + bits.TrailingZeros64(found)/8
			switch text[at] {
			case '=', ':':
				if at == 0 || !k.last[text[at-1]] {
					continue // for example in a time
				}
				if key := k.keyBefore(text[:at]); key != nil {
					e.scanValue(key, text[at+1:])
				}
			case '[':
				e.scanBrackets(text[at+1:])
			case '{':
				objects = true
			}
		}
	}
	return objects
}

// scanValue adds the value of a key, which the text begins with.
func (e *Evidence) scanValue(key *Key, text string) {
	if value, ok := valueAfter(text, key.format); ok {
		e.AddText(key, 0, value)
	} else {
		e.reject(key, 0, Length)
	}
}

// keyBefore returns the known key at the end of a text, with or without quotes and spaces after
// it. The key must be whole: parent_span_id is not span_id, and ?trace_id= in a URL is about
// something else.
func (k *Keys) keyBefore(text string) *Key {
	text = strings.TrimRight(text, " ")
	end := len(text)
	quote := byte(0)
	if end > 0 && isQuote(text[end-1]) {
		end--
		quote = text[end]
	}
	start := end
	for start > 0 && end-start <= k.longest && classes[text[start-1]]&inKey != 0 {
		start--
	}
	if start > 0 {
		left := text[start-1]
		if quote != 0 && left != quote || classes[left]&beforeKey == 0 {
			return nil
		}
	}
	name := text[start:end]
	if name == rootField && k.Find(name) == nil {
		name = xrayHeader
	}
	return k.Find(name)
}

// rootField begins the value of AWS X-Ray's header, which may be written without its key.
const rootField = "Root"

// valueAfter returns the value at the beginning of a text. It is not ok when a quote is not
// closed, because the value is then truncated.
func valueAfter(text string, f format) (value string, ok bool) {
	text = strings.TrimLeft(text, " ")
	text = text[:min(len(text), maxValue)]
	if text != "" && isQuote(text[0]) {
		end := strings.IndexByte(text[1:], text[0])
		if end < 0 {
			return "", false
		}
		return text[1 : 1+end], true
	}
	within := inID
	if f.isHeader() {
		within = inHeader
	}
	end := 0
	for end < len(text) && classes[text[end]]&within != 0 {
		end++
	}
	return text[:end], isEnd(text[end:])
}

// isEnd reports whether a value can end before the text. A full stop may end a sentence, or be
// a part of a number.
func isEnd(text string) bool {
	if text == "" {
		return true
	}
	if text[0] == '.' {
		return len(text) == 1 || classes[text[1]]&inID == 0
	}
	return classes[text[0]]&inID == 0
}

func isQuote(b byte) bool { return b == '"' || b == '\'' }

// What a byte may be a part of.
const (
	inKey     uint8 = 1 << iota
	inID            // an id, or a longer word that is not an id
	inHeader        // the value of a propagation header
	beforeKey       // what may come directly before a key
)

var classes = func() (table [256]uint8) {
	add := func(class uint8, bytes string) {
		for i := range len(bytes) {
			table[bytes[i]] |= class
		}
	}
	const alphanumeric = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	add(inKey, alphanumeric+"_-.@/")
	add(inID, alphanumeric+"_-")
	add(inHeader, alphanumeric+"_-=;:%/")
	add(beforeKey, " \t\r\n[({<,;|\"'")
	return table
}()

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
