package tracecontext

import (
	"encoding/binary"
	"math/bits"
)

// tails find keys in a text by the bytes that they end in. Lines have many
// separators, of times and of other keys; few of them come after one of these tails.
type tails struct {
	last   [256]lastByte
	short  [256]bool             // the bytes before the last of keys of two and three bytes
	byHash [1 << tailBits]uint16 // of the last four bytes: an index of keys, 0 for none
	keys   [][]Key
}

// lastByte is what can end in a byte.
type lastByte uint8

const (
	noKey    lastByte = iota
	longKeys          // those of four bytes and more
	allKeys           // those of two and three as well
	anyKey            // one byte alone, or what comes after a key
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

// next returns the next place of an opening bracket, or of a separator that a key
// may end before. It returns the text's length when there is none.
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

// mayEnd says whether a key may end where a text does.
func (t *tails) mayEnd(text string) bool {
	if last := t.last[text[len(text)-1]]; last == noKey {
		return false
	} else if t.mayBeShort(text, last) {
		return true
	}
	return t.byHash[tailHash(text)] != 0
}

// long returns the keys of which a text may end in one. It is not ok when there may
// be others, of fewer bytes or with something after them.
func (t *tails) long(text string) (keys []Key, ok bool) {
	if t.mayBeShort(text, t.last[text[len(text)-1]]) {
		return nil, false
	}
	return t.keys[t.byHash[tailHash(text)]], true
}

// mayBeShort says whether something else than a long key may end where a text does.
func (t *tails) mayBeShort(text string, last lastByte) bool {
	return last == anyKey || len(text) < tailBytes || last == allKeys && t.short[text[len(text)-2]]
}

func tailHash(text string) uint32 {
	return binary.LittleEndian.Uint32([]byte(text[len(text)-tailBytes:])) * 0x9e3779b1 >> (32 - tailBits)
}
