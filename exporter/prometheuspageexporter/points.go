// SPDX-License-Identifier: Apache-2.0

package prometheuspageexporter

import (
	dto "github.com/prometheus/client_model/go"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/page"
	"github.com/otelcol-tc/otelcol-tc/exporter/prometheuspageexporter/internal/sample"
)

// metricWalk walks through the points of one metric.
type metricWalk struct {
	*walk
	name  string // before translation
	point page.Point
	shown bool // any point was shown
}

// point is the common interface of all data points.
type point interface {
	Attributes() pcommon.Map
	Flags() pmetric.DataPointFlags
}

// oneLine is the shape of a single number.
var oneLine = page.Shape{Lines: 1}

// show shows one point. A stale marker removes its series.
func show[P point](m *metricWalk, p P, reserved string, shape page.Shape, sampled func(*sample.Stream, P, pcommon.Timestamp) (*dto.Metric, sample.Reason)) {
	m.set.Next()
	m.set.AddAll(p.Attributes(), reserved)
	m.point.Key, m.point.Shape = m.set.Seal(), shape
	if p.Flags().NoRecordedValue() {
		m.page.Remove(&m.point)
		return
	}
	why := m.page.Put(&m.point, m.now, func(s *sample.Stream) (*dto.Metric, sample.Reason) { return sampled(s, p, m.arrival) })
	if why != sample.Shown {
		m.refused.add(why, m.name, 1)
		return
	}
	m.shown = true
}

func (m *metricWalk) sum(sum pmetric.Sum) {
	if !sum.IsMonotonic() {
		m.numbers(sum.DataPoints(), nil)
		return
	}
	temporality := sum.AggregationTemporality()
	m.numbers(sum.DataPoints(), &temporality)
}

// numbers shows the points of a counter, which has a temporality, or of a gauge.
func (m *metricWalk) numbers(all pmetric.NumberDataPointSlice, counter *pmetric.AggregationTemporality) {
	sampled := (*sample.Stream).Gauge
	if counter != nil {
		sampled = func(s *sample.Stream, p pmetric.NumberDataPoint, now pcommon.Timestamp) (*dto.Metric, sample.Reason) {
			return s.Counter(p, *counter, now)
		}
	}
	for _, p := range all.All() {
		shape := oneLine
		if counter != nil {
			shape.Exemplars = p.Exemplars().Len()
			shape.IsDelta = *counter == pmetric.AggregationTemporalityDelta
		}
		show(m, p, "", shape, sampled)
	}
}

// fixedLines are the count, the sum and the last bucket of a histogram.
const fixedLines = 3

func (m *metricWalk) histograms(h pmetric.Histogram) {
	temporality := h.AggregationTemporality()
	for _, p := range h.DataPoints().All() {
		shape := page.Shape{
			Lines: fixedLines + p.ExplicitBounds().Len(), Exemplars: p.Exemplars().Len(),
			IsDelta: temporality == pmetric.AggregationTemporalityDelta,
		}
		show(m, p, boundaryLabel, shape, func(s *sample.Stream, p pmetric.HistogramDataPoint, now pcommon.Timestamp) (*dto.Metric, sample.Reason) {
			return s.Histogram(p, temporality, now)
		})
	}
}

func (m *metricWalk) exponentials(h pmetric.ExponentialHistogram) {
	temporality := h.AggregationTemporality()
	for _, p := range h.DataPoints().All() {
		isDelta := temporality == pmetric.AggregationTemporalityDelta
		native := sample.MaxNativeBuckets
		if !isDelta {
			native = min(native, p.Positive().BucketCounts().Len()+p.Negative().BucketCounts().Len())
		}
		shape := page.Shape{Lines: fixedLines, Native: native, Exemplars: p.Exemplars().Len(), IsDelta: isDelta}
		show(m, p, boundaryLabel, shape, func(s *sample.Stream, p pmetric.ExponentialHistogramDataPoint, now pcommon.Timestamp) (*dto.Metric, sample.Reason) {
			return s.Exponential(p, temporality, now)
		})
	}
}

func (m *metricWalk) summaries(s pmetric.Summary) {
	for _, p := range s.DataPoints().All() {
		shape := page.Shape{Lines: 2 + p.QuantileValues().Len()}
		show(m, p, quantileLabel, shape, (*sample.Stream).Summary)
	}
}
