// SPDX-License-Identifier: Apache-2.0

package choice

import (
	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Keys and weights decide where data goes. All agents of a cluster must agree, also agents of different
// releases, so a test fixes their values.

// TraceKey returns the key of the spans and logs of a trace.
func TraceKey(id pcommon.TraceID) uint64 { return xxh3.Hash(id[:]) }

// ResourceKey returns the key of the metrics of a resource, and of its logs without a trace. The order of
// the attributes does not matter.
func ResourceKey(resource pcommon.Resource) uint64 {
	var sum uint64
	for key, value := range resource.Attributes().All() {
		// The hash of the attribute key seeds that of the value, so exchanged values give another sum. A
		// sum does not depend on the order.
		sum += mix(xxh3.HashStringSeed(value.AsString(), xxh3.HashString(key)))
	}
	return mix(sum)
}

// Seed returns the seed of an endpoint's weights.
func Seed(name string) uint64 { return xxh3.HashString(name) }

// weight returns the weight of a key at an endpoint. The endpoint with the highest weight is the key's
// own.
func weight(key, endpoint uint64) uint64 { return mix(key ^ endpoint) }

// mix distributes a number over all bits (the last step of SplitMix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
