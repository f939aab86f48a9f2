// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"cmp"
	"slices"

	dto "github.com/prometheus/client_model/go"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"google.golang.org/protobuf/proto"
)

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
