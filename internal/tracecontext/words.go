// SPDX-License-Identifier: Apache-2.0

package tracecontext

import "encoding/binary"

// Texts are searched in words of eight bytes, which takes half the time of a search byte by
// byte. A search for one kind of separator after the other takes longer as well, because most
// separators of a line have no key before them. In a result, the highest bit of a byte marks a
// match.

const (
	wordBytes = 8
	everyByte = 0x0101010101010101 // multiplied by a byte, gives a word of eight such bytes
	highBits  = 0x80 * everyByte
)

// bytesAt returns the eight bytes at an index, the first one lowest. Bytes after the end of the
// text are zeros.
func bytesAt(text string, at int) uint64 {
	if rest := len(text) - at; rest < wordBytes {
		return lastBytes(text, rest)
	}
	return binary.LittleEndian.Uint64([]byte(text[at:]))
}

func lastBytes(text string, n int) (word uint64) {
	if len(text) >= wordBytes {
		return binary.LittleEndian.Uint64([]byte(text[len(text)-wordBytes:])) >> (8 * (wordBytes - n))
	}
	for i := range n {
		word = word<<8 | uint64(text[len(text)-1-i])
	}
	return word
}

// separators sets the high bits of the bytes =, :, [ and {. It also sets those of ; and <,
// which lie between in ASCII and are rare.
func separators(word uint64) uint64 {
	low := word &^ highBits // so that no addition carries into the next byte
	fromColon := low + (0x80-':')*everyByte
	afterEquals := low + (0x80-'='-1)*everyByte
	bracket := highBits - (low | ('{'-'[')*everyByte ^ '{'*everyByte)
	return (fromColon ^ afterEquals | bracket) &^ word & highBits
}
