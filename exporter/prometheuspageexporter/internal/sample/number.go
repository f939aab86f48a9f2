// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"cmp"
	"slices"

	dto "github.com/prometheus/client_model/go"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// Gauge returns the sample after a point of a gauge, or of a non-monotonic sum.
func (s *Stream) Gauge(dp pmetric.NumberDataPoint, now pcommon.Timestamp) (*dto.Metric, Reason) {
	v, ok := value(dp)
	if !ok {
		return nil, Malformed
	}
	if why := s.replace(dp.Timestamp(), now); why != Shown {
		return nil, why
	}
	return &dto.Metric{Gauge: &dto.Gauge{Value: proto.Float64(v)}}, Shown
}

// Counter returns the sample after a point of a monotonic sum.
func (s *Stream) Counter(dp pmetric.NumberDataPoint, temporality pmetric.AggregationTemporality, now pcommon.Timestamp) (*dto.Metric, Reason) {
	start := dp.StartTimestamp()
	var why Reason
	v, ok := value(dp)
	switch {
	case !ok:
		return nil, Malformed
	case temporality == pmetric.AggregationTemporalityDelta:
		v, start, why = s.add(dp, now)
	default:
		why = s.replace(dp.Timestamp(), now)
	}
	if why != Shown {
		return nil, why
	}
	shown := &dto.Counter{Value: proto.Float64(v), CreatedTimestamp: timestamp(start)}
	if n := dp.Exemplars().Len(); n > 0 {
		shown.Exemplar = exemplar(dp.Exemplars().At(n - 1))
	}
	return &dto.Metric{Counter: shown}, Shown
}

// timestamp converts a time. It returns nil if there is none.
func timestamp(t pcommon.Timestamp) *timestamppb.Timestamp {
	if t == 0 {
		return nil
	}
	return timestamppb.New(t.AsTime())
}

// Summary returns the sample after a point of a summary. Of repeated quantiles, it shows the
// first.
func (s *Stream) Summary(dp pmetric.SummaryDataPoint, now pcommon.Timestamp) (*dto.Metric, Reason) {
	if why := s.replace(dp.Timestamp(), now); why != Shown {
		return nil, why
	}
	summary := &dto.Summary{
		SampleCount:      proto.Uint64(dp.Count()),
		SampleSum:        proto.Float64(dp.Sum()),
		CreatedTimestamp: timestamp(dp.StartTimestamp()),
	}
	for _, q := range dp.QuantileValues().All() {
		summary.Quantile = append(summary.Quantile, &dto.Quantile{Quantile: proto.Float64(q.Quantile()), Value: proto.Float64(q.Value())})
	}
	slices.SortStableFunc(summary.Quantile, func(a, b *dto.Quantile) int { return cmp.Compare(a.GetQuantile(), b.GetQuantile()) })
	summary.Quantile = slices.CompactFunc(summary.Quantile, func(a, b *dto.Quantile) bool {
		return cmp.Compare(a.GetQuantile(), b.GetQuantile()) == 0
	})
	return &dto.Metric{Summary: summary}, Shown
}
