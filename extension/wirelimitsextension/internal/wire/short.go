// SPDX-License-Identifier: Apache-2.0

package wire

// Headers of two bytes, where the field number is below 16 and the length below 128.
const (
	shortMask   = 0x87 // of a tag: one byte, with the wire type
	shortVarint = byte(typeVarint)
	shortFixed  = byte(typeFixed64)
	shortLength = byte(typeLength)
	shortText   = 1<<3 | shortLength // AnyValue.string_value
	shortest    = 0x80               // a byte below this is a complete varint
)

// short reads consecutive fields with short headers that are completely inside the chunk. It
// returns how many bytes it read. Most fields have short headers. It does the same as field in
// a quarter of the time: 0.6 instead of 2.9 µs for a span with ten attributes.
func (p *Protobuf) short(chunk []byte) int {
	if p.groups > 0 {
		return 0
	}
	base := p.pos // the chunk's position in the request
	room := p.limits.Size - base
	stack, extra := p.stack, p.extra
	top := stack[len(stack)-1]
	known := &fields[top.kind]
	i := 0
loop:
	for i+1 < len(chunk) {
		for top.end == base+i {
			stack = stack[:len(stack)-1]
			top = stack[len(stack)-1]
			known = &fields[top.kind]
		}
		tag, size, next := chunk[i], chunk[i+1], i+2
		end, content := next, known[tag>>3&0x0f]
		switch tag & shortMask {
		case shortLength:
			end += int(size)
		case shortFixed:
			end, size = i+9, 0
		case shortVarint:
		default:
			break loop
		}
		if size >= shortest || tag>>3 == 0 || end > len(chunk) || base+end > top.end {
			break
		}
		if content == opaque {
			i = end
			continue
		}
		// Leave every violation to field, which decides on the rule.
		if content <= varints || tag&shortMask != shortLength ||
			len(stack) >= p.limits.Depth || next+extra+weights[content] > room {
			break
		}
		extra += weights[content]
		if content == anyValue && size >= 2 && chunk[next] == shortText && chunk[next+1] == size-2 {
			i = end
			continue
		}
		if i = next; size > 0 {
			top = message{end: base + end, kind: content}
			stack = append(stack, top)
			known = &fields[content]
		}
	}
	p.pos, p.stack, p.extra = base+i, stack, extra
	return i
}
