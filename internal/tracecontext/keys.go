// SPDX-License-Identifier: Apache-2.0

package tracecontext

import (
	"slices"
	"strings"
)

// CustomKeys are keys that a user has configured. Empty ones are not used.
type CustomKeys struct {
	TraceID, SpanID, TraceFlags string
	Encoding                    Encoding
}

// Encoding is how the values of custom keys are written.
type Encoding string

// The encodings. With UUID, the span id is hexadecimal: only a trace id has the length of a
// UUID.
const (
	Hex     Encoding = "hex"
	Decimal Encoding = "decimal"
	UUID    Encoding = "uuid"
)

func (e Encoding) formats() (trace, span *format) {
	switch e {
	case Decimal:
		return &traceDecimal, &spanDecimal
	case UUID:
		return &traceUUID, &spanHex
	default:
		return &traceHex, &spanHex
	}
}

// Key is a key under which loggers write ids.
type Key struct {
	name   string
	format *format
	class  Class
	style  int  // a span counts only with the trace of the same style
	caller bool // its span is the caller's
}

// Keys is the set of keys that hold ids. It is safe for concurrent use.
type Keys struct {
	byName map[string]*Key
	// filter has, for each length modulo 64, bits for the XOR of the first and last bytes of
	// the keys. It rejects most attributes of a record without a look-up.
	filter  [64]uint64
	longest int       // length of a key
	last    [256]bool // the bytes before a separator that may have a key before it
}

// NewKeys returns the built-in keys and the custom ones, which come first. With callerSpans,
// the span of a propagation header counts as the record's.
func NewKeys(custom []CustomKeys, callerSpans bool) *Keys {
	k := &Keys{byName: map[string]*Key{}}
	k.last[' '], k.last['"'], k.last['\''], k.last['t'] = true, true, true, true // t of Root
	for i, keys := range custom {
		trace, span := keys.Encoding.formats()
		style := len(styles) + i
		k.add(Key{name: keys.TraceID, format: trace, class: Custom, style: style})
		k.add(Key{name: keys.SpanID, format: span, class: Custom, style: style})
		k.add(Key{name: keys.TraceFlags, format: &flagsHex, class: Custom, style: style})
	}
	for i, style := range styles {
		for _, spelling := range style.keys {
			for name := range strings.FieldsSeq(spelling.names) {
				k.add(Key{name: name, format: spelling.format, class: style.class, style: i, caller: style.caller && !callerSpans})
			}
		}
	}
	return k
}

// add adds a key, unless its name is known already.
func (k *Keys) add(key Key) {
	if key.name == "" || k.byName[key.name] != nil {
		return
	}
	k.byName[key.name] = &key
	k.filter[len(key.name)%64] |= 1 << endsOf(key.name)
	k.last[key.name[len(key.name)-1]] = true
	k.longest = max(k.longest, len(key.name))
}

// Find returns the key with that name, or nil. It is short enough for the compiler to inline.
func (k *Keys) Find(name string) *Key {
	if name == "" || k.filter[len(name)%64]>>endsOf(name)&1 == 0 {
		return nil
	}
	return k.byName[name]
}

func endsOf(name string) byte { return (name[0] ^ name[len(name)-1]) % 64 }

// FindInner finds a key of an object inside another, given the name and the number of the inner
// object. It also returns the number of the object whose statement the key belongs to:
// {"trace": {"id": …}, "span": {"id": …}} is one statement of the outer object, while {"dd":
// {"trace_id": …}} is one of the inner object.
func (k *Keys) FindInner(object, name string, number int) (key *Key, in int) {
	if len(object)+len(name) < k.longest {
		if key = k.Find(object + "." + name); key != nil {
			return key, 0
		}
	}
	if key = k.Find(name); key != nil && isAboutAnother(object) {
		return nil, 0
	}
	return key, number
}

// isAboutAnother reports whether an object of that name holds the ids of another span, such as
// the parent.
func isAboutAnother(object string) bool {
	object, others := strings.ToLower(object), []string{"parent", "link", "remote", "upstream", "caller", "cause"}
	return slices.ContainsFunc(others, func(word string) bool { return strings.Contains(object, word) })
}
