// SPDX-License-Identifier: Apache-2.0

package series

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestOneAtATime lets batches with random keys, in random order, change a value for each key without
// another lock. None waits forever, and nothing is lost.
func TestOneAtATime(t *testing.T) {
	const keys, batches = 600, 2000
	var turns Turns
	var counts [keys]int
	var expected [8][keys]int
	var all sync.WaitGroup
	for g := range expected {
		all.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(g)))
			for range batches {
				var set TurnSet
				chosen := make([]int, random.IntN(5))
				for i := range chosen {
					chosen[i] = random.IntN(keys)
					set.Add(uint64(chosen[i]))
				}
				turns.Wait(&set)
				for _, key := range chosen {
					counts[key]++
					expected[g][key]++
				}
				turns.End(&set)
			}
		})
	}
	all.Wait()
	for key, n := range counts {
		sum := 0
		for g := range expected {
			sum += expected[g][key]
		}
		assert.Equal(t, sum, n, key)
	}
}
