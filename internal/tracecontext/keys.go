package tracecontext

import "strings"

// OwnKeys are keys that a user has named; an empty one is not used.
type OwnKeys struct {
	TraceID, SpanID, TraceFlags string
	Encoding                    Encoding
}

// Encoding is how the values of a user's keys are written.
type Encoding string

// The encodings. Only a trace id can be a UUID: the span id beside it is
// hexadecimal.
const (
	Hex     Encoding = "hex"
	Decimal Encoding = "decimal"
	UUID    Encoding = "uuid"
)

// Keys knows which keys ids are found under. It is safe for concurrent use.
type Keys struct {
	byLength [][]Key
	// told has bits for the first and last bytes that keys of a length have
	// together, by the length less one. Most other keys are told by it.
	told  []uint64
	tails tails // of those that are found in texts
	root  *Key  // of AWS
}

// NewKeys returns the known keys and a user's, which come before these.
// With callerSpans the span that a propagation header names counts.
func NewKeys(own []OwnKeys, callerSpans bool) *Keys {
	k := &Keys{tails: newTails()}
	for i, keys := range own {
		trace, span := keys.Encoding.formats()
		k.add(Key{name: keys.TraceID, format: trace, class: Own, style: ownStyles + int32(i)})
		k.add(Key{name: keys.SpanID, format: span, class: Own, style: ownStyles + int32(i)})
		k.add(Key{name: keys.TraceFlags, format: formatFlags, class: Own, style: ownStyles + int32(i)})
	}
	for i, style := range styles {
		for _, spelling := range style.keys {
			for name := range strings.FieldsSeq(spelling.names) {
				k.add(Key{name: name, format: spelling.format, class: style.class, style: int32(i), caller: style.caller && !callerSpans})
			}
		}
	}
	k.root = k.Find(xrayHeader)
	inText := *k.root
	inText.name = root
	k.tails.add(inText)
	return k
}

// add makes a key known, unless it is already.
func (k *Keys) add(key Key) {
	length := len(key.name)
	if length == 0 || k.Find(key.name) != nil {
		return
	}
	for len(k.told) < length {
		k.told = append(k.told, 0)
	}
	for len(k.byLength) <= length {
		k.byLength = append(k.byLength, nil)
	}
	key.ends = endsOf(key.name)
	k.byLength[length] = append(k.byLength[length], key)
	k.told[length-1] |= 1 << ((key.name[0] ^ key.name[length-1]) % 64)
	if isWord(key.name) {
		k.tails.add(key)
	}
}

// MayFind says of most other keys that Find returns nil. It is so short that it
// costs no call.
func (k *Keys) MayFind(name string) bool {
	last := uint(len(name) - 1)
	return last < uint(len(k.told)) && k.told[last]>>((name[0]^name[last])%64)&1 != 0
}

// Find returns what is known of a key, nil for one that has no ids.
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

// endsOf are the first and the last byte of a name.
func endsOf(name string) uint16 { return uint16(name[0])<<8 | uint16(name[len(name)-1]) }

// isWord says whether a key is found in a text.
func isWord(name string) bool {
	for i := range len(name) {
		if classes[name[i]]&inKey == 0 {
			return false
		}
	}
	return true
}
