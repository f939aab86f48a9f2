// SPDX-License-Identifier: Apache-2.0

package distinct

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestEstimate checks the error of both counters, which do not count a hash twice.
func TestEstimate(t *testing.T) {
	for _, n := range []int{0, 1, valuesExactUpTo, valuesExactUpTo + 1, seriesExactUpTo, seriesExactUpTo + 1, 5000, 100_000} {
		var values Values
		var series Series
		rng := rand.New(rand.NewPCG(uint64(n), 7))
		for range n {
			hash := rng.Uint64()
			for range 2 {
				values.Add(hash)
				series.Add(hash)
			}
		}
		f := func(got int, exact bool, most int, share float64) {
			t.Helper()
			assert.Equal(t, n <= most, exact)
			if exact {
				assert.Equal(t, n, got)
			}
			assert.InDelta(t, n, got, 4*share*float64(n))
		}
		got, exact := values.Estimate()
		f(got, exact, valuesExactUpTo, 0.065)
		got, exact = series.Estimate()
		f(got, exact, seriesExactUpTo, 0.023)
	}
}

// TestClone checks that copies count on, and do not change what they were made of.
func TestClone(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	for _, n := range []int{0, 10, seriesExactUpTo, 1000} {
		var s Series
		for range n {
			s.Add(rng.Uint64())
		}
		want, _ := s.Estimate()
		c := s.Clone()
		got, _ := c.Estimate()
		assert.Equal(t, want, got)
		for range 1000 {
			c.Add(rng.Uint64())
		}
		got, _ = s.Estimate()
		assert.Equal(t, want, got)
	}
}
