// SPDX-License-Identifier: Apache-2.0

package choice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

func choiceOf(names []string) *Choice {
	seeds := make([]uint64, len(names))
	for i, name := range names {
		seeds[i] = Seed(name)
	}
	return New(seeds, slices.Repeat([]bool{true}, len(names)))
}

// own returns the own endpoint of a key.
func own(key uint64, names []string) string {
	c := choiceOf(names)
	c.Add(key, 1)
	return names[c.Units[0]]
}

func names(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("gateway-%d.gateway:4317", i))
	}
	return all
}

// Sequential ids, as some clients make them, are evenly distributed.
func TestKeysSpreadEvenly(t *testing.T) {
	for _, n := range []int{2, 3, 5, 8} {
		const keys = 10_000
		counts := map[string]int{}
		for i := range keys {
			counts[own(TraceKey(pcommon.TraceID{14: byte(i >> 8), 15: byte(i)}), names(n))]++
		}
		for name, count := range counts {
			assert.InEpsilon(t, keys/n, count, 0.1, "%s of %d", name, n)
		}
		assert.Len(t, counts, n)
	}
}

func TestRemovedEndpointMovesOnlyItsKeys(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	all := names(5)
	removed, left := all[2], append(names(2), all[3:]...)
	moved := 0
	for range 5000 {
		key := random.Uint64()
		before, after := own(key, all), own(key, left)
		if before == removed {
			moved++
			continue
		}
		assert.Equal(t, before, after)
	}
	assert.InEpsilon(t, 1000, moved, 0.1)
}

// Agents of different releases run at the same time and must agree.
func TestChoicesNeverChange(t *testing.T) {
	resource := pcommon.NewResource()
	resource.Attributes().PutStr("host.name", "node-1")
	resource.Attributes().PutInt("rank", 7)
	f := func(key uint64, want string) {
		t.Helper()
		assert.Equal(t, want, own(key, names(5)))
	}
	f(TraceKey(pcommon.TraceID{}), "gateway-2.gateway:4317")
	f(TraceKey(pcommon.TraceID{1}), "gateway-4.gateway:4317")
	f(TraceKey(pcommon.TraceID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}), "gateway-3.gateway:4317")
	f(ResourceKey(resource), "gateway-4.gateway:4317")
}

func TestResourceKey(t *testing.T) {
	f := func(attributes ...string) uint64 {
		resource := pcommon.NewResource()
		for i := 0; i < len(attributes); i += 2 {
			resource.Attributes().PutStr(attributes[i], attributes[i+1])
		}
		return ResourceKey(resource)
	}
	assert.NotEqual(t, f("service.name", "store", "service.instance.id", "1"), f("service.name", "store", "service.instance.id", "2"))
	assert.Equal(t, f("host.name", "node-1", "rank", "7"), f("rank", "7", "host.name", "node-1"))
	assert.NotEqual(t, f("host.name", "rank"), f("rank", "host.name"))
}
