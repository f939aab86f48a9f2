package conformanceconnector

import (
	"encoding/binary"
	"math"

	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// hashAttributes is the same for the same attributes in any order. Values of different
// type are different.
func hashAttributes(attrs pcommon.Map) uint64 {
	var sum uint64
	for key, value := range attrs.All() {
		// The key's hash seeds the value's, so that keys cannot change places; adding
		// makes the order not matter.
		sum += mix(hashValue(xxh3.HashString(key), value, 0))
	}
	return mix(sum + uint64(attrs.Len()))
}

// maxDepth is how deep values in values are told apart: nesting is the sender's, and the
// stack is ours.
const maxDepth = 8

func hashValue(seed uint64, value pcommon.Value, depth int) uint64 {
	seed += uint64(value.Type()) + 1
	switch value.Type() {
	case pcommon.ValueTypeStr:
		return xxh3.HashStringSeed(value.Str(), seed)
	case pcommon.ValueTypeInt:
		return hashNumber(seed, uint64(value.Int()))
	case pcommon.ValueTypeDouble:
		return hashNumber(seed, math.Float64bits(value.Double()))
	case pcommon.ValueTypeBool:
		if value.Bool() {
			return hashNumber(seed, 1)
		}
		return hashNumber(seed, 0)
	case pcommon.ValueTypeBytes:
		return xxh3.HashSeed(value.Bytes().AsRaw(), seed)
	case pcommon.ValueTypeSlice:
		sum := hashNumber(seed, uint64(value.Slice().Len()))
		if depth < maxDepth {
			for _, element := range value.Slice().All() {
				sum = hashValue(sum, element, depth+1)
			}
		}
		return sum
	case pcommon.ValueTypeMap:
		sum := hashNumber(seed, uint64(value.Map().Len()))
		if depth < maxDepth {
			for key, element := range value.Map().All() {
				sum += mix(hashValue(xxh3.HashStringSeed(key, seed), element, depth+1))
			}
		}
		return sum
	}
	return hashNumber(seed, 0)
}

func hashNumber(seed, n uint64) uint64 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	return xxh3.HashSeed(b[:], seed)
}

// mix spreads a sum over all bits (SplitMix64's last step).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
