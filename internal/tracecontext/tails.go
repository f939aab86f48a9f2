package tracecontext

import (
	"encoding/binary"
	"math/bits"
)

// tails find keys in a text by the last bytes of the keys. Log lines have many separators, for
// example in times, and few of them come after such bytes.
type tails struct {
	last   [256]lastByte
	short  [256]bool             // the second-to-last bytes of keys of two and three bytes
	byHash [1 << tailBits]uint16 // of the last four bytes: an index of keys, or 0
	keys   [][]Key
}

// lastByte is the kinds of keys that can end in a byte.
type lastByte uint8

const (
	noKey    lastByte = iota
	longKeys          // four and more bytes
	allKeys           // two and three bytes as well
	anyKey            // one byte, or a key with a quote or a space after it
)

const (
	tailBytes = 4
	tailBits  = 10
)

func newTails() tails {
	t := tails{keys: make([][]Key, 1)}
	t.last['"'], t.last['\''], t.last[' '] = anyKey, anyKey, anyKey
	return t
}

func (t *tails) add(key Key) {
	last := &t.last[key.name[len(key.name)-1]]
	switch n := len(key.name); {
	case n == 1:
		*last = anyKey
		return
	case n < tailBytes:
		*last = max(*last, allKeys)
		t.short[key.name[n-2]] = true
		return
	}
	*last = max(*last, longKeys)
	i := &t.byHash[tailHash(key.name)]
	if *i == 0 {
		*i = uint16(len(t.keys))
		t.keys = append(t.keys, nil)
	}
	t.keys[*i] = append(t.keys[*i], key)
}

// next returns the index of the next opening bracket, or of the next separator that may have a
// key before it. It returns the length of the text when there is none.
func (t *tails) next(text string, at int) int {
	for ; at < len(text); at += wordBytes {
		for found := separators(bytesAt(text, at)); found != 0; found &= found - 1 {
			place := at + bits.TrailingZeros64(found)/8
			if text[place]|0x20 == '{' || place > 0 && t.mayEnd(text[:place]) {
				return place
			}
		}
	}
	return len(text)
}

// mayEnd reports whether a key may end at the end of a text.
func (t *tails) mayEnd(text string) bool {
	if last := t.last[text[len(text)-1]]; last == noKey {
		return false
	} else if t.mayBeShort(text, last) {
		return true
	}
	return t.byHash[tailHash(text)] != 0
}

// long returns the keys of four and more bytes that may end at the end of a text. It is not ok
// when the text may end in a shorter key, or in a key with a quote or a space after it.
func (t *tails) long(text string) (keys []Key, ok bool) {
	if t.mayBeShort(text, t.last[text[len(text)-1]]) {
		return nil, false
	}
	return t.keys[t.byHash[tailHash(text)]], true
}

// mayBeShort reports whether a text may end in a short key, or in a key with a quote or a space
// after it.
func (t *tails) mayBeShort(text string, last lastByte) bool {
	return last == anyKey || len(text) < tailBytes || last == allKeys && t.short[text[len(text)-2]]
}

func tailHash(text string) uint32 {
	return binary.LittleEndian.Uint32([]byte(text[len(text)-tailBytes:])) * 0x9e3779b1 >> (32 - tailBits)
}
