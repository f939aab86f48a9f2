// SPDX-License-Identifier: Apache-2.0

package wirelimitsextension

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestShares(t *testing.T) {
	f := &inFlight{limit: 100}
	a, b := share{total: f}, share{total: f}
	assert.True(t, a.grow(500), "alone")
	assert.False(t, b.grow(1))
	a.release()
	a.release()
	assert.Zero(t, f.total())

	// Of two shares that do not fit together, the first one to grow is released.
	assert.True(t, a.grow(60))
	assert.True(t, b.grow(40))
	assert.False(t, a.grow(61))
	assert.Equal(t, 40, f.total())
	assert.True(t, b.grow(500), "alone now")
	assert.True(t, b.grow(40), "shares do not shrink")
	assert.Equal(t, 500, f.total())
	b.release()

	unlimited := &inFlight{}
	a, b = share{total: unlimited}, share{total: unlimited}
	assert.True(t, a.grow(1000))
	assert.True(t, b.grow(1000))
	assert.Equal(t, 2000, unlimited.total())
}

// Any number of calls that send nothing leave half of the limit to other calls.
func TestSharesBesideManyMessages(t *testing.T) {
	f := &inFlight{limit: 1000}
	for range 10 * typicalOver {
		f.begin()
		f.end(100)
	}
	for range 10_000 {
		f.begin()
	}
	a, b := share{total: f}, share{total: f}
	assert.True(t, a.grow(100))
	assert.True(t, b.grow(400))
	assert.False(t, b.grow(401))
}

// For random calls, the sum is what the requests hold, and exceeds the limit only for a single
// request.
func TestSharesAddUp(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const limit = 1000
	f := &inFlight{limit: limit}
	shares := make([]share, 10)
	for i := range shares {
		shares[i].total = f
	}
	for range 100_000 {
		s := &shares[random.IntN(len(shares))]
		if random.IntN(3) == 0 {
			s.release()
		} else {
			s.grow(s.held + random.IntN(limit/2))
		}
		sum, holders := 0, 0
		for _, s := range shares {
			sum += s.held
			if s.held > 0 {
				holders++
			}
		}
		if sum != f.total() || sum > limit && holders > 1 {
			t.Fatalf("%d are held by %d, and %d counted", sum, holders, f.total())
		}
	}
}
