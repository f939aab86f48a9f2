// SPDX-License-Identifier: Apache-2.0

package sample

import (
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
