// SPDX-License-Identifier: Apache-2.0

package cost

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDistinct checks the error of both counters, which do not count a hash twice.
func TestDistinct(t *testing.T) {
	for _, n := range []int{0, 1, valuesExactUpTo, valuesExactUpTo + 1, seriesExactUpTo, seriesExactUpTo + 1, 5000, 100_000} {
		var values distinctValues
		var series distinctSeries
		rng := rand.New(rand.NewPCG(uint64(n), 7))
		for range n {
			hash := rng.Uint64()
			for range 2 {
				values.add(hash)
				series.add(hash)
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
		got, exact := values.estimate()
		f(got, exact, valuesExactUpTo, 0.065)
		got, exact = series.estimate()
		f(got, exact, seriesExactUpTo, 0.023)
	}
}
