// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

func (m *mutants) twistMetrics(data pmetric.Metrics) {
	for _, resource := range data.ResourceMetrics().All() {
		m.attributes(resource.Resource().Attributes())
		for _, scope := range resource.ScopeMetrics().All() {
			usual := scope.Metrics().Len()
			for i := range usual {
				if m.oneIn(4) {
					m.twistMetric(scope.Metrics().At(i))
				}
				if m.oneIn(4) { // another metric of the same name
					twin := scope.Metrics().AppendEmpty()
					twin.SetName(scope.Metrics().At(i).Name())
					m.twistMetric(twin)
				}
			}
		}
	}
}

// twistMetric gives a metric another name, or another type with points of its own.
func (m *mutants) twistMetric(metric pmetric.Metric) {
	if m.oneIn(3) {
		metric.SetName(m.text(metric.Name()))
		metric.SetUnit(m.text("By"))
		return
	}
	temporality := pmetric.AggregationTemporality(m.random.IntN(4)) // 3 is not known
	points := m.random.IntN(4)
	switch m.random.IntN(6) {
	case 0:
		for range points {
			m.twistNumber(metric.SetEmptyGauge().DataPoints().AppendEmpty())
		}
	case 1:
		sum := metric.SetEmptySum()
		sum.SetAggregationTemporality(temporality)
		sum.SetIsMonotonic(m.oneIn(2))
		for range points {
			m.twistNumber(sum.DataPoints().AppendEmpty())
		}
	case 2:
		histogram := metric.SetEmptyHistogram()
		histogram.SetAggregationTemporality(temporality)
		for range points {
			m.twistHistogram(histogram.DataPoints().AppendEmpty())
		}
	case 3:
		exponential := metric.SetEmptyExponentialHistogram()
		exponential.SetAggregationTemporality(temporality)
		for range points {
			m.twistExponential(exponential.DataPoints().AppendEmpty())
		}
	case 4:
		for range points {
			point := metric.SetEmptySummary().DataPoints().AppendEmpty()
			point.SetTimestamp(m.time())
			point.SetSum(m.number())
			point.QuantileValues().AppendEmpty().SetQuantile(m.number())
		}
	}
}

func (m *mutants) twistNumber(point pmetric.NumberDataPoint) {
	m.twistTimes(point)
	m.attributes(point.Attributes())
	switch m.random.IntN(3) {
	case 0:
		point.SetDoubleValue(m.number())
	case 1:
		point.SetIntValue(int64(m.random.Uint64()))
	}
}

func (m *mutants) twistHistogram(point pmetric.HistogramDataPoint) {
	m.twistTimes(point)
	point.SetCount(m.random.Uint64())
	point.SetSum(m.number())
	for range m.random.IntN(5) {
		point.ExplicitBounds().Append(m.number())
	}
	for range m.random.IntN(5) {
		point.BucketCounts().Append(m.random.Uint64())
	}
}

func (m *mutants) twistExponential(point pmetric.ExponentialHistogramDataPoint) {
	m.twistTimes(point)
	numbers := []int32{0, 3, -3, 20, 21, -10, -11, 40, math.MaxInt32, math.MinInt32, 1 << 27, -(1 << 27), int32(m.random.Uint32())}
	pick := func() int32 { return numbers[m.random.IntN(len(numbers))] }
	point.SetScale(pick())
	point.SetZeroThreshold(m.number())
	point.SetZeroCount(m.random.Uint64())
	for _, buckets := range []pmetric.ExponentialHistogramDataPointBuckets{point.Positive(), point.Negative()} {
		buckets.SetOffset(pick())
		for range m.random.IntN(200) {
			buckets.BucketCounts().Append(m.random.Uint64N(5))
		}
	}
}

func (m *mutants) twistTimes(point interface {
	SetTimestamp(pcommon.Timestamp)
	SetStartTimestamp(pcommon.Timestamp)
	SetFlags(pmetric.DataPointFlags)
}) {
	point.SetStartTimestamp(m.time())
	point.SetTimestamp(m.time())
	point.SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(m.oneIn(8)))
}
