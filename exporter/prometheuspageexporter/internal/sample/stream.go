package sample

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/reason"
	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
)

// Stream is what has to be known of the points of one series. Its zero value has seen none.
// A point that is refused leaves it as it was.
type Stream struct {
	last  pcommon.Timestamp // of a point that replaces what was shown
	delta any               // *accumulation, since the first delta point
}

// accumulation is the sum of delta points.
type accumulation[T any] struct {
	covered covered
	total   T
}

// IsDelta reports whether the series is a sum of delta points.
func (s *Stream) IsDelta() bool { return s.delta != nil }

// replace is for a point that replaces what was shown. One that comes late does not. One whose
// time is later than now is of now: else those whose times are right would be late.
func (s *Stream) replace(at, now pcommon.Timestamp) reason.Reason {
	at = min(at, now)
	if s.delta == nil && at < s.last {
		return reason.Late
	}
	*s = Stream{last: at}
	return reason.Shown
}

// accumulate is for a delta point. Delta points after others begin anew.
func accumulate[T any](s *Stream, start, end, now pcommon.Timestamp) (*accumulation[T], reason.Reason) {
	a, ok := s.delta.(*accumulation[T])
	if !ok {
		a = &accumulation[T]{}
	}
	if why := a.covered.add(start, end, now); why != reason.Shown {
		return nil, why
	}
	*s = Stream{delta: a}
	return a, reason.Shown
}

// value returns the value of a point that has one.
func value(dp pmetric.NumberDataPoint) (float64, bool) {
	switch dp.ValueType() {
	case pmetric.NumberDataPointValueTypeInt:
		return float64(dp.IntValue()), true
	case pmetric.NumberDataPointValueTypeDouble:
		return dp.DoubleValue(), true
	default:
		return math.NaN(), false
	}
}

// add adds a point of a monotonic sum, which cannot decrease.
func (s *Stream) add(dp pmetric.NumberDataPoint, now pcommon.Timestamp) (total float64, start pcommon.Timestamp, why reason.Reason) {
	var increment aggregate.Number
	if !increment.Read(dp) || increment.Float() < 0 {
		return 0, 0, reason.Malformed
	}
	a, why := accumulate[aggregate.Number](s, dp.StartTimestamp(), dp.Timestamp(), now)
	if why != reason.Shown {
		return 0, 0, why
	}
	a.total.Add(&increment)
	return a.total.Float(), a.covered.start(), reason.Shown
}
