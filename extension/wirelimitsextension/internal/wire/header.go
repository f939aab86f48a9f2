// SPDX-License-Identifier: Apache-2.0

package wire

// wireType is the encoding of a protobuf field.
type wireType uint8

const (
	typeVarint     wireType = 0
	typeFixed64    wireType = 1
	typeLength     wireType = 2
	typeStartGroup wireType = 3
	typeEndGroup   wireType = 4
	typeFixed32    wireType = 5
)

// maxVarint is the length of the longest varint, maxHeader that of the longest header.
const (
	maxVarint = 10
	maxHeader = 2 * maxVarint
)

// The results of reading a header or varint, in place of its length.
const (
	incomplete = 0
	malformed  = -1
)

// header is a field before its content. For a varint field, it includes the value.
type header struct {
	field  int32
	form   wireType
	length int // of the content
}

// readHeader returns the header at the beginning of b, and its length. It is exactly as strict
// as pdata, which truncates field numbers to 32 bits.
func readHeader(b []byte) (header, int) {
	tag, n := readVarint(b)
	if n <= 0 {
		return header{}, n
	}
	h := header{field: int32(tag >> 3), form: wireType(tag & 7)}
	if h.field <= 0 {
		return h, malformed
	}
	switch h.form {
	case typeVarint, typeLength:
		value, m := readVarint(b[n:])
		if m <= 0 {
			return h, m
		}
		n += m
		if h.form == typeLength {
			h.length = int(value)
		}
		if h.length < 0 {
			return h, malformed
		}
	case typeFixed64:
		h.length = 8
	case typeFixed32:
		h.length = 4
	case typeStartGroup, typeEndGroup:
	default:
		return h, malformed
	}
	return h, n
}

// readVarint returns a varint and its length. It drops bits above 64, as pdata does.
func readVarint(b []byte) (uint64, int) {
	var value uint64
	for i := range maxVarint {
		if i == len(b) {
			return 0, incomplete
		}
		value |= uint64(b[i]&0x7f) << (7 * i)
		if b[i] < 0x80 {
			return value, i + 1
		}
	}
	return 0, malformed
}
