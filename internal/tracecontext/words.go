package tracecontext

import "encoding/binary"

// Texts are searched in words of eight bytes. A byte at a time takes twice as long,
// and to search for one separator after the other takes longer as well, because most
// of those that a line has are of no interest. A mark is the highest bit of a byte
// in a word.

const (
	wordBytes = 8
	each      = 0x0101010101010101 // times a byte is a word of that byte
	marks     = 0x80 * each
)

// bytesAt returns the eight bytes from a place on, the first one lowest. After the
// end of the text come zeros.
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

// separators marks the bytes = and : in a word and the brackets [ and {. It also
// marks ; and <, which lie between and are rare.
func separators(word uint64) uint64 {
	low := word &^ marks // so that no byte reaches into the next
	fromColon := low + (0x80-':')*each
	afterEquals := low + (0x80-'='-1)*each
	bracket := marks - (low | ('{'-'[')*each ^ '{'*each)
	return (fromColon ^ afterEquals | bracket) &^ word & marks
}
