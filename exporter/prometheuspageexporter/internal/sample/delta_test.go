// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"math"
	"math/rand/v2"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

const delta = pmetric.AggregationTemporalityDelta

// laterThanAll is a time of arrival after the times of all points.
const laterThanAll = pcommon.Timestamp(math.MaxUint64)

// history returns intervals without overlaps in random order, with no more gaps than are kept.
// Some come twice.
func history(random *rand.Rand) (intervals []span, repeated map[int]bool) {
	at := pcommon.Timestamp(1000)
	for range 1 + random.IntN(maxSpans) {
		at += pcommon.Timestamp(random.IntN(2) * 10) // a gap or none
		next := at + 1 + pcommon.Timestamp(random.IntN(20))
		intervals = append(intervals, span{at, next})
		at = next
	}
	for i := range intervals {
		j := random.IntN(i + 1)
		intervals[i], intervals[j] = intervals[j], intervals[i]
	}
	repeated = map[int]bool{}
	for range random.IntN(5) {
		i := random.IntN(len(intervals))
		intervals = append(intervals, intervals[i])
		repeated[len(intervals)-1] = true
	}
	return intervals, repeated
}

// Each point is counted once, whatever the order, and repeated points are refused.
func TestSumsOfDeltas(t *testing.T) {
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 1))
		intervals, repeated := history(random)
		var s Stream
		var want float64
		var shown *dto.Metric
		for i, interval := range intervals {
			dp := pmetric.NewNumberDataPoint()
			dp.SetStartTimestamp(interval.start)
			dp.SetTimestamp(interval.end)
			v := random.IntN(100)
			if random.IntN(2) == 0 {
				dp.SetIntValue(int64(v))
			} else {
				dp.SetDoubleValue(float64(v))
			}
			metric, why := s.Counter(dp, delta, laterThanAll)
			if repeated[i] {
				require.Equal(t, Overlap, why, "seed %d", seed)
				continue
			}
			require.Equal(t, Shown, why, "seed %d, %v of %v", seed, interval, intervals)
			want, shown = want+float64(v), metric
		}
		require.InDelta(t, want, shown.GetCounter().GetValue(), 1e-6, "seed %d", seed)
	}
}

func TestTimesOfDeltas(t *testing.T) {
	var c covered
	f := func(start, end pcommon.Timestamp, want Reason) {
		t.Helper()
		assert.Equal(t, want, c.add(start, end, laterThanAll), "(%d, %d] after %v", start, end, c.spans)
	}
	f(20, 10, Malformed)
	f(0, 0, Malformed)
	f(100, 200, Shown)
	f(100, 200, Overlap)
	f(150, 250, Overlap)
	f(50, 101, Overlap)
	f(50, 300, Overlap)
	f(0, 250, Shown) // since the last one
	f(0, 250, Overlap)
	f(300, 300, Shown) // of no length
	f(300, 300, Overlap)
	f(250, 299, Shown) // the gap
	assert.Len(t, c.spans, 1)
	f(50, 60, Shown) // before all
	f(60, 100, Shown)
	assert.Equal(t, []span{{50, 300}}, c.spans)
	for i := range pcommon.Timestamp(100) {
		f(1000+10*i, 1005+10*i, Shown)
	}
	assert.Len(t, c.spans, maxSpans)
	f(1005, 1010, Overlap) // the gap is forgotten
	f(1985, 1990, Shown)
}

// Each value stays in its bucket at every change of scale.
func TestExponentialDeltas(t *testing.T) {
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 2))
		var s Stream
		var shown *dto.Metric
		var values []float64
		for i := range 1 + random.IntN(10) {
			scale := int32(random.IntN(14) - 3)
			batch := make([]float64, random.IntN(8))
			for j := range batch {
				batch[j] = math.Exp2(random.Float64()*40 - 20)
			}
			values = append(values, batch...)
			metric, why := s.Exponential(exponentialPoint(scale, batch, pcommon.Timestamp(100+i)), delta, laterThanAll)
			require.Equal(t, Shown, why)
			shown = metric
		}
		h := shown.GetHistogram()
		require.EqualValues(t, len(values), h.GetSampleCount(), "seed %d", seed)
		want := map[int32]int64{}
		for _, v := range values {
			want[nativeIndex(h.GetSchema(), v)]++
		}
		require.Equal(t, want, expanded(h.GetPositiveSpan(), h.GetPositiveDelta()), "seed %d", seed)
	}
}

func exponentialPoint(scale int32, values []float64, timestamp pcommon.Timestamp) pmetric.ExponentialHistogramDataPoint {
	dp := pmetric.NewExponentialHistogramDataPoint()
	dp.SetStartTimestamp(timestamp - 1)
	dp.SetTimestamp(timestamp)
	dp.SetScale(scale)
	dp.SetCount(uint64(len(values)))
	if len(values) == 0 {
		return dp
	}
	first, last := int32(math.MaxInt32), int32(math.MinInt32)
	for _, v := range values {
		first, last = min(first, nativeIndex(scale, v)-1), max(last, nativeIndex(scale, v)-1)
	}
	counts := make([]uint64, last-first+1)
	for _, v := range values {
		counts[nativeIndex(scale, v)-1-first]++
	}
	dp.Positive().SetOffset(first)
	dp.Positive().BucketCounts().FromRaw(counts)
	return dp
}

func nativeIndex(scale int32, v float64) int32 {
	return int32(math.Ceil(math.Ldexp(math.Log2(v), int(scale))))
}

func expanded(spans []*dto.BucketSpan, deltas []int64) map[int32]int64 {
	all := map[int32]int64{}
	index, count := int32(0), int64(0)
	for _, s := range spans {
		index += s.GetOffset()
		for range s.GetLength() {
			count += deltas[0]
			deltas = deltas[1:]
			if count > 0 {
				all[index] = count
			}
			index++
		}
	}
	return all
}

func histogramPoint(timestamp pcommon.Timestamp, bounds []float64, counts ...uint64) pmetric.HistogramDataPoint {
	dp := pmetric.NewHistogramDataPoint()
	dp.SetStartTimestamp(timestamp - 1)
	dp.SetTimestamp(timestamp)
	dp.ExplicitBounds().FromRaw(bounds)
	dp.BucketCounts().FromRaw(counts)
	for _, count := range counts {
		dp.SetCount(dp.Count() + count)
	}
	dp.SetSum(float64(dp.Count()))
	return dp
}

func TestHistogramDeltas(t *testing.T) {
	var s Stream
	f := func(dp pmetric.HistogramDataPoint, want Reason, wantCounts ...uint64) {
		t.Helper()
		metric, why := s.Histogram(dp, delta, laterThanAll)
		assert.Equal(t, want, why)
		var counts []uint64
		for _, b := range metric.GetHistogram().GetBucket() {
			counts = append(counts, b.GetCumulativeCount())
		}
		if metric != nil {
			counts = append(counts, metric.GetHistogram().GetSampleCount())
			assert.InDelta(t, metric.GetHistogram().GetSampleCount(), metric.GetHistogram().GetSampleSum(), 0)
		}
		assert.Equal(t, wantCounts, counts)
	}
	bounds := []float64{1, 2}
	f(histogramPoint(100, bounds, 1, 2, 3), Shown, 1, 3, 6)
	f(histogramPoint(101, bounds, 1, 0, 0), Shown, 2, 4, 7)
	f(histogramPoint(101, bounds, 1, 0, 0), Overlap)
	f(histogramPoint(102, []float64{1, 2, 3}, 0, 0, 0, 0), Shown, 2, 4, 7) // nothing
	f(histogramPoint(90, []float64{5}, 1, 1), Late)                        // other buckets, and not the newest
	f(histogramPoint(103, []float64{5}, 1, 1), Shown, 1, 2)                // begins anew
	f(histogramPoint(104, []float64{5}, 1, 1), Shown, 2, 4)
	broken := histogramPoint(105, []float64{5}, 1, 1)
	broken.SetCount(7)
	f(broken, Malformed)
	broken = histogramPoint(106, []float64{7}, 1, 1)
	broken.SetStartTimestamp(200)
	f(broken, Malformed)
	f(histogramPoint(105, []float64{5}, 1, 1), Shown, 3, 6) // as it was
	for _, bad := range [][]float64{{2, 1}, {1, 1}, {math.NaN(), 1}} {
		f(histogramPoint(110, bad, 1, 1, 1), Malformed)
	}
	f(histogramPoint(110, []float64{1, 2, 3}, 1, 1), Malformed)
}

// A stream restarts when its temporality changes, and old points never replace new ones.
func TestTemporalities(t *testing.T) {
	var s Stream
	f := func(temporality pmetric.AggregationTemporality, start, timestamp pcommon.Timestamp, v int64, want Reason, wantValue float64) {
		t.Helper()
		dp := pmetric.NewNumberDataPoint()
		dp.SetStartTimestamp(start)
		dp.SetTimestamp(timestamp)
		dp.SetIntValue(v)
		metric, why := s.Counter(dp, temporality, laterThanAll)
		assert.Equal(t, want, why)
		assert.InDelta(t, wantValue, metric.GetCounter().GetValue(), 0)
	}
	const cumulative = pmetric.AggregationTemporalityCumulative
	f(cumulative, 1, 10, 5, Shown, 5)
	f(cumulative, 1, 9, 4, Late, 0)
	f(cumulative, 1, 10, 6, Shown, 6)
	f(delta, 10, 20, 3, Shown, 3)
	f(delta, 20, 30, 3, Shown, 6)
	f(delta, 30, 40, -3, Malformed, 0)
	f(cumulative, 1, 50, 100, Shown, 100)
	empty := pmetric.NewNumberDataPoint()
	_, why := s.Gauge(empty, laterThanAll)
	assert.Equal(t, Malformed, why)
	_, why = s.Counter(empty, cumulative, laterThanAll)
	assert.Equal(t, Malformed, why)
}
