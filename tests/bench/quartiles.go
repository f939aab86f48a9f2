// SPDX-License-Identifier: Apache-2.0

package main

import "slices"

// quartiles are the values below which a quarter, half and three quarters lie.
type quartiles struct{ lower, median, upper float64 }

func quartilesOf(values []float64) quartiles {
	sorted := slices.Sorted(slices.Values(values))
	return quartiles{quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)}
}

// quantile interpolates between the two nearest of at least one sorted value.
func quantile(sorted []float64, q float64) float64 {
	position := q * float64(len(sorted)-1)
	below := int(position)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (position-float64(below))*(sorted[above]-sorted[below])
}
