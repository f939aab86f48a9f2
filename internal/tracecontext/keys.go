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
	byLength [][]Key
	// lengthFilter has, for each length less one, bits for the XOR of the first and last bytes
	// of the keys. It rejects most keys without a look-up.
	lengthFilter []uint64
	tails        tails // of the keys that are found in texts
	rootKey      *Key  // of AWS X-Ray's header
}

// NewKeys returns the built-in keys and the custom ones, which come first. With callerSpans,
// the span of a propagation header counts as the record's.
func NewKeys(custom []CustomKeys, callerSpans bool) *Keys {
	k := &Keys{tails: newTails()}
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
	k.rootKey = k.Find(xrayHeader)
	inText := *k.rootKey
	inText.name = rootField
	k.tails.add(inText)
	return k
}

// add adds a key, unless its name is known already.
func (k *Keys) add(key Key) {
	length := len(key.name)
	if length == 0 || k.Find(key.name) != nil {
		return
	}
	for len(k.lengthFilter) < length {
		k.lengthFilter = append(k.lengthFilter, 0)
	}
	for len(k.byLength) <= length {
		k.byLength = append(k.byLength, nil)
	}
	key.ends = endsOf(key.name)
	k.byLength[length] = append(k.byLength[length], key)
	k.lengthFilter[length-1] |= 1 << ((key.name[0] ^ key.name[length-1]) % 64)
	if isWord(key.name) {
		k.tails.add(key)
	}
}

// MayFind returns false for most names for which Find returns nil. It is short enough for the
// compiler to inline.
func (k *Keys) MayFind(name string) bool {
	last := uint(len(name) - 1)
	return last < uint(len(k.lengthFilter)) && k.lengthFilter[last]>>((name[0]^name[last])%64)&1 != 0
}

// Find returns the key with that name, or nil.
func (k *Keys) Find(name string) *Key {
	if name == "" || len(name) >= len(k.byLength) {
		return nil
	}
	ends := endsOf(name)
	keys := k.byLength[len(name)]
	for i := range keys {
		if keys[i].ends == ends && keys[i].name == name {
			return &keys[i]
		}
	}
	return nil
}

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

// endsOf returns the first and the last byte of a name.
func endsOf(name string) uint16 { return uint16(name[0])<<8 | uint16(name[len(name)-1]) }

// isWord reports whether a key can be found in a text.
func isWord(name string) bool {
	for i := range len(name) {
		if classes[name[i]]&inKey == 0 {
			return false
		}
	}
	return true
}
