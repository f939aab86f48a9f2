package aggregate

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Summary is what summary points measured but for the quantiles, which cannot be
// merged.
type Summary struct{ totals }

// Read sets s to what a point measured. No summary is malformed.
func (s *Summary) Read(dp pmetric.SummaryDataPoint) bool {
	s.totals = totals{present: true, count: dp.Count()}
	s.setSum(dp.Sum())
	return true
}

// Write writes the measurements into dp. A summary always has a sum, so one that
// is not known is not a number.
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

// Add merges o in.
func (s *Summary) Add(o *Summary) {
	switch {
	case !o.present || !s.fits(&o.totals):
	case !s.present:
		*s = *o
	default:
		s.add(&o.totals)
	}
}

// Sub makes s, a later value of a cumulative stream than prev, what was measured
// in between. When the count decreased, it returns true and leaves s, which then
// is what was measured since the reset.
func (s *Summary) Sub(prev *Summary) (reset bool) {
	if s.count < prev.count {
		return true
	}
	s.sub(&prev.totals)
	return false
}

// Reset makes s nothing measured yet.
func (s *Summary) Reset() { *s = Summary{} }

// Bytes is the size of the heap memory that s holds: none.
func (s *Summary) Bytes() int { return 0 }
