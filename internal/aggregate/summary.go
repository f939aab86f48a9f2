// SPDX-License-Identifier: Apache-2.0

package aggregate

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Summary holds the measurements of summary points without the quantiles, which cannot be
// merged.
type Summary struct{ totals }

// Read sets s to the measurements of a point. It accepts every summary.
func (s *Summary) Read(dp pmetric.SummaryDataPoint) bool {
	s.totals = totals{present: true, count: dp.Count()}
	s.setSum(dp.Sum())
	return true
}

// Write writes the measurements into dp. A summary point always has a sum, so an unknown sum is
// written as NaN.
func (s *Summary) Write(dp pmetric.SummaryDataPoint) {
	dp.SetCount(s.count)
	dp.SetSum(s.sum)
	if s.present && !s.hasSum {
		dp.SetSum(math.NaN())
	}
	dp.QuantileValues().RemoveIf(func(pmetric.SummaryDataPointValueAtQuantile) bool { return true })
}

// Set makes s a copy of o.
func (s *Summary) Set(o *Summary) { *s = *o }

// Add merges o into s.
func (s *Summary) Add(o *Summary) {
	switch {
	case !o.present || !s.fits(&o.totals):
	case !s.present:
		*s = *o
	default:
		s.add(&o.totals)
	}
}

// Sub turns s, a later value of a cumulative stream than prev, into the increment since prev.
// It returns true and leaves s when the count decreased: s is then the increment since the
// reset.
func (s *Summary) Sub(prev *Summary) (reset bool) {
	if s.count < prev.count {
		return true
	}
	s.sub(&prev.totals)
	return false
}

// Reset removes all measurements.
func (s *Summary) Reset() { *s = Summary{} }

// Bytes returns the heap memory that s holds, in bytes: none.
func (s *Summary) Bytes() int { return 0 }

// Shrink does nothing: a Summary takes no heap memory.
func (s *Summary) Shrink(int) {}
