package cardinalityprocessor

import (
	"bytes"
	"encoding/binary"

	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/aggregate"
)

// wirePoint is a number's point as a request has it.
type wirePoint struct {
	raw         []byte
	shape       *shape
	id          pointIdentity
	start, time pcommon.Timestamp
	value       aggregate.Number
	valued      bool // it has one
	gone        bool // it does not go out
	merged      bool // it goes out for its output
	overflow    bool // of which the output is that of all past a limit
	flags       pmetric.DataPointFlags
}

// Tags of a point's fields.
const (
	tagStart     = 2<<3 | 1
	tagTime      = 3<<3 | 1
	tagDouble    = 4<<3 | 1
	tagInt       = 6<<3 | 1
	tagAttribute = 7<<3 | 2
	tagFlags     = 8 << 3
)

// Tags of an attribute, and of its value.
const (
	tagKey         = 1<<3 | 2
	tagValue       = 2<<3 | 2
	tagText        = 1<<3 | 2
	tagBool        = 2 << 3
	tagNumber      = 3 << 3
	tagDoubleValue = 4<<3 | 1
)

// wireAttribute is an attribute of a point.
type wireAttribute struct {
	raw       []byte
	key, text []byte
	kind      pcommon.ValueType
	bits      uint64 // of a value that is no text

	rest  []byte   // of its point, behind it
	pair  identity // by the shape at hand
	known bool     // pair is
}

// maxWireAttributes bounds what a point may have on the wire.
const maxWireAttributes = 32

// short reads a length of at most so many bytes as there are behind it.
func short(b []byte) (length, n int) {
	if len(b) > 0 && b[0] < 0x80 {
		if length = int(b[0]); length < len(b) {
			return length, 1
		}
		return 0, 0
	}
	long, n := binary.Uvarint(b)
	if n <= 0 || long > uint64(len(b)-n) {
		return 0, 0
	}
	return int(long), n
}

// read reads an attribute as clients write it: a key and a value, in either order.
func (a *wireAttribute) read(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	first := b[0]
	length, n := short(b[1:])
	if n == 0 || len(b) == 1+n+length {
		return false
	}
	one, b := b[1+n:1+n+length], b[1+n+length:]
	second := b[0]
	length, n = short(b[1:])
	if n == 0 || len(b) != 1+n+length {
		return false
	}
	other := b[1+n:]
	switch {
	case first == tagKey && second == tagValue:
		a.key = one
		return a.value(other)
	case first == tagValue && second == tagKey:
		a.key = other
		return a.value(one)
	default:
		return false
	}
}

// value reads the value of an attribute. Those of other types than texts, numbers and
// booleans are rare.
func (a *wireAttribute) value(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	a.text = nil
	switch b[0] {
	case tagText:
		length, n := short(b[1:])
		a.kind, a.text = pcommon.ValueTypeStr, b[1+n:]
		return n != 0 && length == len(a.text)
	case tagBool, tagNumber:
		a.kind = pcommon.ValueTypeInt
		var n int
		if a.bits, n = binary.Uvarint(b[1:]); b[0] == tagBool {
			a.kind = pcommon.ValueTypeBool
			if a.bits != 0 {
				a.bits = 1
			}
		}
		return n > 0 && 1+n == len(b)
	case tagDoubleValue:
		a.kind = pcommon.ValueTypeDouble
		if len(b) != 9 {
			return false
		}
		a.bits = binary.LittleEndian.Uint64(b[1:])
		return true
	default:
		return false
	}
}

// identify is hashPair of what the value will be once it is decoded.
func (a *wireAttribute) identify(key uint64) identity {
	seed := key + uint64(a.kind)
	if a.kind == pcommon.ValueTypeStr {
		return fromUint128(xxh3.Hash128Seed(a.text, seed))
	}
	return hashNumber(a.bits, seed)
}

// wireAttributes are those of the point at hand. Points that follow each other have most
// attributes in common, at the same place: what is known of one serves the next.
type wireAttributes struct {
	all      [maxWireAttributes]wireAttribute
	count    int
	sameKeys bool // as the point before
	last     bool // in the point before there was nothing behind or between them
}

// add reads the next attribute, of a point whose predecessor had so many, and returns what is
// left to be read of the rest: nothing, where that is the predecessor's.
func (w *wireAttributes) add(raw, rest []byte, before int) (left []byte, ok bool) {
	if w.count == maxWireAttributes {
		return nil, false
	}
	a := &w.all[w.count]
	w.count++
	had := w.count <= before
	if had && bytes.Equal(a.raw, raw) {
		a.rest = rest
		return rest, true
	}
	key, restBefore := a.key, a.rest
	if !a.read(raw) {
		return nil, false
	}
	a.raw, a.rest, a.known = raw, rest, false
	w.sameKeys = w.sameKeys && had && bytes.Equal(a.key, key)
	if had && w.last && bytes.Equal(rest, restBefore) {
		w.count = before
		return nil, true
	}
	return rest, true
}

// forget has nothing serve the next point.
func (w *wireAttributes) forget() {
	for i := range w.all[:w.count] {
		w.all[i].known = false
	}
}

// read reads a point, and returns false for one that is not usual: which has exemplars,
// flags, or what no one of the fields above is.
func (p *wirePoint) read(raw []byte, attrs *wireAttributes) (ok bool) {
	before, last := attrs.count, true
	attrs.count, attrs.sameKeys = 0, true
	*p = wirePoint{raw: raw}
	for b := raw; len(b) > 0; {
		tag := b[0]
		b = b[1:]
		if tag == tagAttribute {
			length, n := short(b)
			if n == 0 {
				return false
			}
			if b, ok = attrs.add(b[n:n+length], b[n+length:], before); !ok {
				return false
			}
			continue
		}
		last = last && attrs.count == 0
		switch tag {
		case tagStart, tagTime, tagDouble, tagInt:
			if len(b) < 8 {
				return false
			}
			p.set(tag, binary.LittleEndian.Uint64(b))
			b = b[8:]
		case tagFlags:
			// Others are of stale points, or not of this version of OTLP.
			if len(b) == 0 || b[0] != 0 {
				return false
			}
			b = b[1:]
		default:
			return false
		}
	}
	attrs.last = last
	attrs.sameKeys = attrs.sameKeys && attrs.count == before
	return true
}

func (p *wirePoint) set(tag byte, bits uint64) {
	switch tag {
	case tagStart:
		p.start = pcommon.Timestamp(bits)
	case tagTime:
		p.time = pcommon.Timestamp(bits)
	default:
		p.value, p.valued = aggregate.Number{Bits: bits, Double: tag == tagDouble}, true
	}
}

// What a pass does with points.

func (p *wirePoint) StartTimestamp() pcommon.Timestamp         { return p.start }
func (p *wirePoint) SetStartTimestamp(start pcommon.Timestamp) { p.start = start }
func (p *wirePoint) Timestamp() pcommon.Timestamp              { return p.time }
func (p *wirePoint) SetTimestamp(time pcommon.Timestamp)       { p.time = time }
func (p *wirePoint) Flags() pmetric.DataPointFlags             { return p.flags }
func (p *wirePoint) SetFlags(flags pmetric.DataPointFlags)     { p.flags = flags }
func readWire(to *aggregate.Number, p *wirePoint) bool {
	*to = p.value
	return p.valued && to.Finite()
}

func writeWire(from *aggregate.Number, p *wirePoint) { p.value, p.valued = *from, true }

// Attributes decodes them, with the keys that naming gives them: for newcomers that are
// reported.
func (p *wirePoint) Attributes() pcommon.Map {
	attrs := pcommon.NewMap()
	var read wireAttributes
	(&wirePoint{}).read(p.raw, &read)
	for i := range p.shape.keys {
		read.all[i].put(attrs.PutEmpty(p.shape.keys[i].final))
	}
	return attrs
}

// wirePoints are the points of one metric, and the markers that end series behind them.
type wirePoints struct {
	sent []wirePoint
	ends []*wirePoint
}

func (p *wirePoints) Len() int { return len(p.sent) + len(p.ends) }

func (p *wirePoints) At(i int) *wirePoint {
	if i < len(p.sent) {
		return &p.sent[i]
	}
	return p.ends[i-len(p.sent)]
}

// RemoveIf only notes which points go: the others are where they were.
func (p *wirePoints) RemoveIf(remove func(*wirePoint) bool) {
	for i := range p.Len() {
		dp := p.At(i)
		dp.gone = remove(dp)
	}
}

func (p *wirePoints) AppendEmpty() *wirePoint {
	end := &wirePoint{}
	p.ends = append(p.ends, end)
	return end
}

// wireNumbers is the kind of points that are on the wire.
var wireNumbers = &kind[*wirePoint, aggregate.Number, *aggregate.Number]{
	head: func(p *wirePoint) head {
		return head{start: p.start, time: p.time, stale: p.flags.NoRecordedValue()}
	},
	read:  readWire,
	write: writeWire,
	rewrite: func(p *wirePoint, overflow bool) {
		p.merged, p.overflow = true, overflow
	},
	same: func(from, to *wirePoint) {
		to.raw, to.shape, to.merged, to.overflow = from.raw, from.shape, from.merged, from.overflow
	},
	combine:    combine,
	following:  follow,
	lesser:     (*aggregate.Number).Less,
	overflowed: func(n *aggregate.Number) bool { return n.Overflowed },
}
