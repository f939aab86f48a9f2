// SPDX-License-Identifier: Apache-2.0

// Package sample converts data points to the samples that Prometheus shows, and sums delta
// points. A Stream holds the state of one series; each of its methods takes one kind of data
// point. The time of arrival limits the times of points: a sender whose clock is ahead must not
// keep later points off the page.
package sample

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
)

// Stream is the state of one series. The zero value is a series without points. A refused point
// does not change it.
type Stream struct {
	last  pcommon.Timestamp // the time of the last point that is not a delta
	delta any               // *accumulation, or nil if the last point was not a delta
}

// accumulation is the sum of delta points.
type accumulation[T any] struct {
	covered covered
	total   T
}

// IsDelta reports whether the series is a sum of delta points.
func (s *Stream) IsDelta() bool { return s.delta != nil }

// replace accepts a point that replaces the last one, unless it is older. A time after now
// counts as now: otherwise, later points with correct times would be refused as late.
func (s *Stream) replace(timestamp, now pcommon.Timestamp) Reason {
	timestamp = min(timestamp, now)
	if s.delta == nil && timestamp < s.last {
		return Late
	}
	*s = Stream{last: timestamp}
	return Shown
}

// accumulate accepts a delta point. The sum restarts if the last point was not a delta.
func accumulate[T any](s *Stream, start, end, now pcommon.Timestamp) (*accumulation[T], Reason) {
	a, ok := s.delta.(*accumulation[T])
	if !ok {
		a = &accumulation[T]{}
	}
	if why := a.covered.add(start, end, now); why != Shown {
		return nil, why
	}
	*s = Stream{delta: a}
	return a, Shown
}

// value returns the value of a point. It is not ok if the point has none.
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

// add adds a delta point of a monotonic sum, which cannot be negative.
func (s *Stream) add(dp pmetric.NumberDataPoint, now pcommon.Timestamp) (total float64, start pcommon.Timestamp, why Reason) {
	var increment aggregate.Number
	if !increment.Read(dp) || increment.Float() < 0 {
		return 0, 0, Malformed
	}
	a, why := accumulate[aggregate.Number](s, dp.StartTimestamp(), dp.Timestamp(), now)
	if why != Shown {
		return 0, 0, why
	}
	a.total.Add(&increment)
	return a.total.Float(), a.covered.start(), Shown
}

// Reason is why a point is not on the page, and the value of the attribute reason.
type Reason string

const (
	// Shown means that the point is on the page.
	Shown Reason = ""
	// Conflict means that the page has the metric's name with another type.
	Conflict Reason = "conflict"
	// Late means that the point is older than its series.
	Late Reason = "late"
	// Limit means that there is no room for a new series, or for more buckets of a histogram.
	Limit Reason = "limit"
	// Malformed means that the point contradicts itself.
	Malformed Reason = "malformed"
	// Name means that no character of the metric's name can be kept in Prometheus, or that the
	// name exceeds 1 KiB.
	Name Reason = "name"
	// Overlap means that earlier delta points cover the time of the point.
	Overlap Reason = "overlap"
	// Size means that the series exceeds 1 MiB.
	Size Reason = "size"
	// Temporality means that the metric has an unspecified temporality, or is a non-monotonic
	// delta sum.
	Temporality Reason = "temporality"
)
