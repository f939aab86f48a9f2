package choice

import (
	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Keys and weights decide where data goes. All agents of a cluster have to agree, those of
// another release as well: a test holds them as they are.

// TraceKey returns the key of all that belongs to a trace.
func TraceKey(id pcommon.TraceID) uint64 { return xxh3.Hash(id[:]) }

// ResourceKey returns the key of all metrics of a resource, and of its logs without a
// trace. It is the same for the same attributes in any order.
func ResourceKey(resource pcommon.Resource) uint64 {
	var sum uint64
	for key, value := range resource.Attributes().All() {
		// The key's hash seeds the value's, so that keys cannot change places; adding
		// makes the order not matter.
		sum += mix(xxh3.HashStringSeed(value.AsString(), xxh3.HashString(key)))
	}
	return mix(sum)
}

// Seed returns the seed of an endpoint's weights.
func Seed(name string) uint64 { return xxh3.HashString(name) }

// weight returns how much a key belongs to an endpoint. The highest one has it.
func weight(key, endpoint uint64) uint64 { return mix(key ^ endpoint) }

// mix spreads a number over all bits (SplitMix64's last step).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
