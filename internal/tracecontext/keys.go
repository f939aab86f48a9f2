// SPDX-License-Identifier: Apache-2.0

package tracecontext

import "strings"

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
		k.add(Key{name: keys.TraceID, format: trace, class: Custom, style: customStyles + int32(i)})
		k.add(Key{name: keys.SpanID, format: span, class: Custom, style: customStyles + int32(i)})
		k.add(Key{name: keys.TraceFlags, format: formatFlags, class: Custom, style: customStyles + int32(i)})
	}
	for i, style := range styles {
		for _, spelling := range style.keys {
			for name := range strings.FieldsSeq(spelling.names) {
				k.add(Key{name: name, format: spelling.format, class: style.class, style: int32(i), caller: style.caller && !callerSpans})
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

func (e Encoding) formats() (trace, span format) {
	switch e {
	case Decimal:
		return formatTraceDecimal, formatSpanDecimal
	case UUID:
		return formatTraceUUID, formatSpan
	default:
		return formatTrace, formatSpan
	}
}
