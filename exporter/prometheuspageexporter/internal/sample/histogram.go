// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"math"
	"slices"

	dto "github.com/prometheus/client_model/go"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"google.golang.org/protobuf/proto"

	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
)

// Histogram returns the sample after a point of a histogram with explicit bounds.
func (s *Stream) Histogram(dp pmetric.HistogramDataPoint, temporality pmetric.AggregationTemporality, now pcommon.Timestamp) (*dto.Metric, Reason) {
	if !inOrder(dp) {
		return nil, Malformed
	}
	if temporality != pmetric.AggregationTemporalityDelta {
		if why := s.replace(dp.Timestamp(), now); why != Shown {
			return nil, why
		}
		return histogram(dp, dp.Exemplars()), Shown
	}
	var increment aggregate.Histogram
	if !increment.Read(dp) {
		return nil, Malformed
	}
	before := *s
	if a, ok := s.delta.(*accumulation[aggregate.Histogram]); ok && dp.Count() > 0 && !a.total.SameBuckets(&increment) {
		if min(dp.Timestamp(), now) <= a.covered.end() {
			return nil, Late
		}
		// With other bounds, the histogram restarts: the shared buckets would be fewer than
		// either has.
		*s = Stream{}
	}
	a, why := accumulate[aggregate.Histogram](s, dp.StartTimestamp(), dp.Timestamp(), now)
	if why != Shown {
		*s = before
		return nil, why
	}
	a.total.Add(&increment)
	total := pmetric.NewHistogramDataPoint()
	a.total.Write(total)
	total.SetStartTimestamp(a.covered.start())
	return histogram(total, dp.Exemplars()), Shown
}

// inOrder reports whether a point's bounds increase, and fit the number of its buckets.
func inOrder(dp pmetric.HistogramDataPoint) bool {
	bounds, counts := dp.ExplicitBounds(), dp.BucketCounts()
	for i := range bounds.Len() {
		if math.IsNaN(bounds.At(i)) || i > 0 && bounds.At(i) <= bounds.At(i-1) {
			return false
		}
	}
	return counts.Len() == 0 || counts.Len() == bounds.Len()+1
}

func histogram(dp pmetric.HistogramDataPoint, exemplars pmetric.ExemplarSlice) *dto.Metric {
	h := &dto.Histogram{
		SampleCount:      proto.Uint64(dp.Count()),
		SampleSum:        proto.Float64(dp.Sum()),
		CreatedTimestamp: timestamp(dp.StartTimestamp()),
	}
	bounds, counts := dp.ExplicitBounds(), dp.BucketCounts()
	if counts.Len() > 0 {
		h.Bucket = make([]*dto.Bucket, bounds.Len(), bounds.Len()+1)
	}
	all := make([]bucket, len(h.Bucket)+1)
	for i := range h.Bucket {
		b := &all[i]
		b.bound, b.count = bounds.At(i), counts.At(i)
		if i > 0 {
			b.count += all[i-1].count
		}
		h.Bucket[i] = b.shown()
	}
	if exemplars.Len() > 0 {
		// The last bucket equals the count. It is shown only if it has an exemplar.
		last := &all[len(h.Bucket)]
		last.bound, last.count = math.Inf(1), dp.Count()
		buckets := slices.Concat(h.Bucket, []*dto.Bucket{last.shown()})
		classicExemplars(buckets, exemplars)
		if last.Exemplar != nil {
			h.Bucket = buckets
		}
	}
	return &dto.Metric{Histogram: h}
}

// bucket is a bucket with its values in one memory allocation.
type bucket struct {
	dto.Bucket
	bound float64
	count uint64
}

func (b *bucket) shown() *dto.Bucket {
	b.UpperBound, b.CumulativeCount = &b.bound, &b.count
	return &b.Bucket
}
