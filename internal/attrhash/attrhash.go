// SPDX-License-Identifier: Apache-2.0

// Package attrhash hashes attributes to 128 bits. Each half can also be used alone.
//
// A set of attributes has the same hash in any order. Values of different types have
// different hashes: 1, 1.0, "1", true and the byte 1 are five values. The seed is secret, so
// that senders cannot construct sets with the same hash.
//
// Snapshots store these hashes, so the functions must not change. The package may not know
// what its users identify by a hash.
package attrhash

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Hash is a 128-bit hash. Lo is the key of look-ups. Hi is independent of Lo and
// distinguishes sets with the same key.
type Hash struct{ Lo, Hi uint64 }

// Plus adds hashes. The sum over the pairs of a set does not depend on their order. Each
// pair of key and value has a hash of its own, so swapped values and duplicate pairs do not
// cancel out.
func (h Hash) Plus(other Hash) Hash {
	lo, carry := bits.Add64(h.Lo, other.Lo, 0)
	hi, _ := bits.Add64(h.Hi, other.Hi, carry)
	return Hash{lo, hi}
}

// Minus subtracts what Plus added.
func (h Hash) Minus(other Hash) Hash {
	lo, borrow := bits.Sub64(h.Lo, other.Lo, 0)
	hi, _ := bits.Sub64(h.Hi, other.Hi, borrow)
	return Hash{lo, hi}
}

// Text returns the hash of a sequence after a string is appended.
func (h Hash) Text(text string) Hash { return h.mix(xxh3.HashString128Seed(text, h.Lo)) }

// Number returns the hash of a sequence after a number is appended.
func (h Hash) Number(n uint64) Hash {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	return h.mix(xxh3.Hash128Seed(b[:], h.Lo))
}

// mix appends a hash to a sequence. An even factor would lose bits of the earlier elements.
func (h Hash) mix(next xxh3.Uint128) Hash {
	const odd = 0x9E3779B97F4A7C15
	return Hash{next.Lo + h.Lo*odd, next.Hi + bits.RotateLeft64(h.Hi, 31)*odd}
}

// Key returns the seed for the values of an attribute.
func Key(seed uint64, key string) uint64 { return xxh3.HashStringSeed(key, seed) }

// Value returns the hash of a value. With a seed from Key it is the hash of the attribute.
func Value(seed uint64, value pcommon.Value) Hash {
	typed := seed + uint64(value.Type())
	switch value.Type() {
	case pcommon.ValueTypeStr:
		return Text(seed, value.Str())
	case pcommon.ValueTypeInt:
		return number(typed, uint64(value.Int()))
	case pcommon.ValueTypeDouble:
		return number(typed, math.Float64bits(value.Double()))
	case pcommon.ValueTypeBool:
		if value.Bool() {
			return number(typed, 1)
		}
		return number(typed, 0)
	case pcommon.ValueTypeBytes:
		return hash(xxh3.Hash128Seed(value.Bytes().AsRaw(), typed))
	case pcommon.ValueTypeSlice:
		sequence := number(typed, uint64(value.Slice().Len()))
		for _, element := range value.Slice().All() {
			h := Value(typed, element)
			sequence = sequence.Number(h.Lo).Number(h.Hi)
		}
		return sequence
	case pcommon.ValueTypeMap:
		return number(typed, 0).Plus(Map(typed, value.Map()))
	default:
		return number(typed, 0)
	}
}

// Text returns the same as Value for a string.
func Text(seed uint64, text string) Hash {
	return hash(xxh3.HashString128Seed(text, seed+uint64(pcommon.ValueTypeStr)))
}

// Map returns the hash of a set of attributes.
func Map(seed uint64, attrs pcommon.Map) (sum Hash) {
	for key, value := range attrs.All() {
		sum = sum.Plus(Value(Key(seed, key), value))
	}
	return sum
}

func number(seed, n uint64) Hash {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	return hash(xxh3.Hash128Seed(b[:], seed))
}

func hash(u xxh3.Uint128) Hash { return Hash{u.Lo, u.Hi} }
