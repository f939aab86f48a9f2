// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"google.golang.org/protobuf/proto"

	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
)

const (
	// The range of schemas of Prometheus's native histograms.
	minSchema = -4
	maxSchema = 8
	// MaxNativeBuckets bounds the buckets of a native histogram.
	MaxNativeBuckets = 2 * 160
	// defaultZeroThreshold is the default of Prometheus's client libraries.
	defaultZeroThreshold = 1e-128
)

// Exponential returns the sample after a point of an exponential histogram: a native histogram
// of at most 160 buckets a side.
func (s *Stream) Exponential(dp pmetric.ExponentialHistogramDataPoint, temporality pmetric.AggregationTemporality, now pcommon.Timestamp) (*dto.Metric, Reason) {
	// Read also bounds the buckets, and with them the scale.
	var read aggregate.Exponential
	if !read.Read(dp) {
		return nil, Malformed
	}
	total, start := &read, dp.StartTimestamp()
	if temporality == pmetric.AggregationTemporalityDelta {
		a, why := accumulate[aggregate.Exponential](s, dp.StartTimestamp(), dp.Timestamp(), now)
		if why != Shown {
			return nil, why
		}
		a.total.Add(&read)
		total, start = &a.total, a.covered.start()
	} else if why := s.replace(dp.Timestamp(), now); why != Shown {
		return nil, why
	}
	written := pmetric.NewExponentialHistogramDataPoint()
	total.Write(written)
	shown := &dto.Metric{}
	if !native(written, shown) {
		shown.Histogram = &dto.Histogram{SampleCount: proto.Uint64(written.Count()), SampleSum: proto.Float64(written.Sum())}
	}
	shown.Histogram.CreatedTimestamp = timestamp(start)
	shown.Histogram.Exemplars = nativeExemplars(dp.Exemplars())
	return shown, Shown
}

// unnamed is a placeholder: the page sets the name of a family.
var unnamed = prometheus.NewDesc("unnamed", "", nil, nil)

// native converts a point to a native histogram. It returns false if the scale is too small.
func native(dp pmetric.ExponentialHistogramDataPoint, to *dto.Metric) bool {
	if dp.Scale() < minSchema {
		return false
	}
	schema := min(dp.Scale(), maxSchema)
	threshold := dp.ZeroThreshold()
	if threshold == 0 {
		threshold = defaultZeroThreshold
	}
	metric, err := prometheus.NewConstNativeHistogram(unnamed, dp.Count(), dp.Sum(),
		nativeBuckets(dp.Positive(), dp.Scale()-schema), nativeBuckets(dp.Negative(), dp.Scale()-schema),
		dp.ZeroCount(), schema, threshold, time.Time{})
	return err == nil && metric.Write(to) == nil
}

// nativeBuckets downscales buckets. Prometheus numbers buckets by their upper boundary,
// OpenTelemetry by their lower one.
func nativeBuckets(buckets pmetric.ExponentialHistogramDataPointBuckets, shift int32) map[int]int64 {
	counts := buckets.BucketCounts()
	if counts.Len() == 0 {
		return nil
	}
	native := make(map[int]int64, counts.Len())
	for i := range counts.Len() {
		native[(int(buckets.Offset())+i)>>shift+1] += int64(counts.At(i))
	}
	return native
}
