// SPDX-License-Identifier: Apache-2.0

// Package choice chooses endpoints by rendezvous hashing.
package choice

import (
	"github.com/zeebo/xxh3"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Choice holds the endpoints chosen for the units of one batch.
type Choice struct {
	seeds    []uint64
	open     []bool
	Units    []int  // the endpoint of each unit
	Chosen   []bool // whether an endpoint was chosen for a unit
	Items    []int  // the number of items for each endpoint
	Failover []int  // of these, the number whose own endpoint is another one
}

// New returns a Choice among endpoints with these seeds. At least one endpoint must be open.
func New(seeds []uint64, open []bool) *Choice {
	n := len(seeds)
	return &Choice{seeds: seeds, open: open, Chosen: make([]bool, n), Items: make([]int, n), Failover: make([]int, n)}
}

// Add chooses the endpoint of the next unit: the open endpoint with the highest weight for its key.
func (c *Choice) Add(key uint64, items int) {
	own, chosen := 0, -1
	var ownWeight, chosenWeight uint64
	for i, seed := range c.seeds {
		w := weight(key, seed)
		if i == 0 || w > ownWeight {
			own, ownWeight = i, w
		}
		if c.open[i] && (chosen < 0 || w > chosenWeight) {
			chosen, chosenWeight = i, w
		}
	}
	c.Units = append(c.Units, chosen)
	c.Chosen[chosen] = true
	c.Items[chosen] += items
	if chosen != own {
		c.Failover[chosen] += items
	}
}

// Only returns the endpoint of all units, if there is only one.
func (c *Choice) Only() (int, bool) {
	for _, to := range c.Units {
		if to != c.Units[0] {
			return 0, false
		}
	}
	return c.Units[0], true
}

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
