package cardinalityprocessor

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// identity is a 128-bit hash. The lower half is a key to look up; the upper one is
// independent of it and tells two identities with one key apart before anything
// is merged.
type identity struct{ lo, hi uint64 }

// words are its halves, as a snapshot holds them.
func (a identity) words() [2]uint64 { return [2]uint64{a.lo, a.hi} }

func identityOf(words [2]uint64) identity { return identity{words[0], words[1]} }

// plus adds identities, so that the sum of a map's pairs is the same in any order.
// Each pair is mixed as a whole before: pairs that swap their values, or that come
// twice, do not cancel out.
func (a identity) plus(b identity) identity {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return identity{lo, hi}
}

// minus takes away what was added.
func (a identity) minus(b identity) identity {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return identity{lo, hi}
}

// then is the identity of a sequence that goes on with text.
func (a identity) then(text string) identity {
	return a.mix(xxh3.HashString128Seed(text, a.lo))
}

// thenNumber is the identity of a sequence that goes on with a number.
func (a identity) thenNumber(n uint64) identity {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	return a.mix(xxh3.Hash128Seed(b[:], a.lo))
}

// mix keeps both halves of what came before. An even factor would lose bits.
func (a identity) mix(next xxh3.Uint128) identity {
	const odd = 0x9E3779B97F4A7C15
	return identity{next.Lo + a.lo*odd, next.Hi + bits.RotateLeft64(a.hi, 31)*odd}
}

// hashKey is the seed of the values of an attribute.
func hashKey(seed uint64, key string) uint64 { return xxh3.HashStringSeed(key, seed) }

// hashPair is the identity of one attribute: its key's seed, the type of its value
// and the value. Values of different types are different.
func hashPair(key uint64, value pcommon.Value) identity {
	seed := key + uint64(value.Type())
	switch value.Type() {
	case pcommon.ValueTypeStr:
		return hashText(key, value.Str())
	case pcommon.ValueTypeInt:
		return hashNumber(uint64(value.Int()), seed)
	case pcommon.ValueTypeDouble:
		return hashNumber(math.Float64bits(value.Double()), seed)
	case pcommon.ValueTypeBool:
		if value.Bool() {
			return hashNumber(1, seed)
		}
		return hashNumber(0, seed)
	case pcommon.ValueTypeBytes:
		return fromUint128(xxh3.Hash128Seed(value.Bytes().AsRaw(), seed))
	case pcommon.ValueTypeSlice:
		sequence := hashNumber(uint64(value.Slice().Len()), seed)
		for _, element := range value.Slice().All() {
			h := hashPair(seed, element)
			sequence = sequence.thenNumber(h.lo).thenNumber(h.hi)
		}
		return sequence
	case pcommon.ValueTypeMap:
		return hashNumber(0, seed).plus(hashMap(seed, value.Map()))
	default:
		return hashNumber(0, seed)
	}
}

// hashText is hashPair of a text.
func hashText(key uint64, text string) identity {
	return fromUint128(xxh3.HashString128Seed(text, key+uint64(pcommon.ValueTypeStr)))
}

// hashMap is the identity of a set of attributes.
func hashMap(seed uint64, attrs pcommon.Map) identity {
	var sum identity
	for key, value := range attrs.All() {
		sum = sum.plus(hashPair(hashKey(seed, key), value))
	}
	return sum
}

func hashNumber(n, seed uint64) identity {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	return fromUint128(xxh3.Hash128Seed(b[:], seed))
}

func fromUint128(u xxh3.Uint128) identity { return identity{u.Lo, u.Hi} }
