// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Each test here is about a fault that other implementations have.

// TestNoSumOfLatestWithMinimumStart checks that a merged counter never decreases when a
// stream restarts or ends. Summing the latest values under the minimum start has this
// fault.
func TestNoSumOfLatestWithMinimumStart(t *testing.T) {
	r := newRig(t, nil)
	require.Equal(t, []string{`{} 0..10 150`}, r.send(r.counters(pt{"id=1", 1, 10, 100}, pt{"id=2", 2, 10, 50})))
	// A restart with a new start.
	require.Equal(t, []string{`{} 0..20 153`}, r.send(r.counters(pt{"id=1", 15, 20, 3}, pt{"id=2", 2, 20, 50})))
	// One that does not.
	require.Equal(t, []string{`{} 0..30 155`}, r.send(r.counters(pt{"id=1", 15, 30, 2})))
	// An end.
	require.Equal(t, []string{`{} 0..40 160`}, r.send(r.counters(pt{"id=1", 15, 40, nil}, pt{"id=2", 2, 40, 55})))
	// An earlier start than all of them.
	require.Equal(t, []string{`{} 0..50 161`}, r.send(r.counters(pt{"id=3", 0.5, 50, 1})))
}

// TestNoOverlapOfBatches checks that intervals of consecutive batches do not overlap.
// Merging within single batches only has this fault.
func TestNoOverlapOfBatches(t *testing.T) {
	r := newRig(t, nil)
	require.Equal(t, []string{`{} 1..10 5`}, r.send(r.deltas(pt{"id=1", 1, 10, 5})))
	require.Equal(t, []string{`{} 10..10.001 7`}, r.send(r.deltas(pt{"id=2", 1, 10, 7})))
	require.Equal(t, []string{`{} 10.001..20 1`}, r.send(r.deltas(pt{"id=3", 5, 20, 1})))
	require.Equal(t, []string{`{} 20..20.001 2`}, r.send(r.deltas(pt{"id=1", 10, 15, 2}))) // late
}

// TestNoDuplicateSeries checks that a batch has each series once. Merging within single
// containers only has this fault.
func TestNoDuplicateSeries(t *testing.T) {
	f := func(request func(*rig, ...pt) pmetric.Metrics, want string) {
		t.Helper()
		r := newRig(t, nil)
		md := both(request(r, pt{"id=1", 1, 10, 5}), request(r, pt{"id=2", 1, 10, 7}), request(r, pt{"id=3", 1, 10, 9}))
		require.Equal(t, []string{want}, r.send(md))
		require.Equal(t, 1, md.ResourceMetrics().Len())
	}
	f((*rig).deltas, `{} 1..10 21`)
	f((*rig).counters, `{} 0..10 21`)
	f((*rig).updowns, `{} 0..10 21`)
}

// TestPointsOneNanosecondApart checks that points of two clocks are merged. Merging only
// points of equal times has the opposite fault.
func TestPointsOneNanosecondApart(t *testing.T) {
	f := func(request func(*rig, ...pt) pmetric.Metrics, want string) {
		t.Helper()
		r := newRig(t, nil)
		md := request(r, pt{"id=1", 1, 10, 5}, pt{"id=2", 1, 10, 7})
		m := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0)
		if m.Type() == pmetric.MetricTypeGauge {
			m.Gauge().DataPoints().At(0).SetTimestamp(r.at(10) - 1)
		} else {
			m.Sum().DataPoints().At(0).SetTimestamp(r.at(10) - 1)
		}
		require.Equal(t, []string{want}, r.send(md))
	}
	f((*rig).deltas, `{} 1..10 12`)
	f((*rig).counters, `{} 0..10 12`)
	f((*rig).updowns, `{} 0..10 12`)
	f((*rig).gauges, `{} ..10 7`)
}

// TestExponentialBucketsAddByIndex checks that exponential buckets are added by index.
// Appending them counts values that nobody measured.
func TestExponentialBucketsAddByIndex(t *testing.T) {
	r := newRig(t, nil)
	md, m := emptyMetric("s", "m")
	points := m.SetEmptyExponentialHistogram()
	points.SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
	add := func(id string, offset int32, counts ...uint64) {
		dp := points.DataPoints().AppendEmpty()
		r.common(dp, pt{id, 1, 10, 0})
		for _, n := range counts {
			dp.SetCount(dp.Count() + n)
		}
		dp.Positive().SetOffset(offset)
		dp.Positive().BucketCounts().FromRaw(counts)
	}
	add("id=1", 0, 1, 2)
	add("id=2", 3, 4)
	add("id=3", -1, 8, 16)
	out := r.process(md)
	require.Equal(t, 1, out.DataPointCount())
	dp := points.DataPoints().At(0)
	require.Equal(t, uint64(31), dp.Count())
	require.Equal(t, int32(-1), dp.Positive().Offset())
	require.Equal(t, []uint64{8, 17, 2, 0, 4}, dp.Positive().BucketCounts().AsRaw())
}

// TestLeadingStaleMarker checks that a stale marker as a batch's first point does not hide
// the others. Starting the sum with the first point has this fault.
func TestLeadingStaleMarker(t *testing.T) {
	f := func(request func(*rig, ...pt) pmetric.Metrics, want string) {
		t.Helper()
		r := newRig(t, nil)
		require.Equal(t, []string{want}, r.send(request(r, pt{"id=1", 1, 10, nil}, pt{"id=2", 1, 10, 5}, pt{"id=3", 1, 10, 5})))
		// The output ends when all its streams have ended.
		require.NotContains(t, r.send(request(r, pt{"id=2", 1, 20, nil}, pt{"id=3", 1, 20, 6}))[0], "stale")
		require.Contains(t, r.send(request(r, pt{"id=3", 1, 30, nil}))[0], "stale")
	}
	f((*rig).deltas, `{} 1..10 10`)
	f((*rig).counters, `{} 0..10 10`)
	f((*rig).updowns, `{} 0..10 10`)
	f((*rig).gauges, `{} ..10 5`)
}

// TestIntegerAndDouble checks sums of integers and doubles. Using only the first point's
// type turns 5 and 7.5 into 5.
func TestIntegerAndDouble(t *testing.T) {
	f := func(request func(*rig, ...pt) pmetric.Metrics, values ...any) {
		t.Helper()
		r := newRig(t, nil)
		var points []pt
		for i, v := range values {
			points = append(points, pt{fmt.Sprint("id=", i), 1, 10, v})
		}
		md := r.process(request(r, points...))
		dp := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().At(0)
		require.Equal(t, pmetric.NumberDataPointValueTypeDouble, dp.ValueType())
		require.InDelta(t, 12.5, dp.DoubleValue(), 0)
	}
	for _, request := range []func(*rig, ...pt) pmetric.Metrics{(*rig).deltas, (*rig).counters, (*rig).updowns} {
		f(request, 5, 7.5)
		f(request, 7.5, 5)
		f(request, 2, 7.5, 3)
	}
}

// TestOtherBoundsAreMerged checks that histograms with different bounds are merged.
// Merging only equal bounds drops the rest.
func TestOtherBoundsAreMerged(t *testing.T) {
	f := func(temporality pmetric.AggregationTemporality, want string) {
		t.Helper()
		r := newRig(t, nil)
		require.Equal(t, []string{want}, r.send(r.histograms(temporality,
			hist{pt{"id=1", 1, 10, nil}, []float64{1, 2, 5}, []float64{0.5, 1.5, 3, 9}},
			hist{pt{"id=2", 1, 10, nil}, []float64{2, 5, 10}, []float64{1, 4, 7, 20}},
			hist{pt{"id=3", 1, 10, nil}, []float64{2, 5}, []float64{4}})))
	}
	f(pmetric.AggregationTemporalityDelta, `{} 1..10 count 9, le 2 3, le 5 6, sum 50`)
	f(pmetric.AggregationTemporalityCumulative, `{} 0..10 count 9, le 2 3, le 5 6, sum 50`)
}

// TestNewcomersEvictNobody checks that new series do not replace known ones at the limit.
// Evicting the least recently used admits and evicts forever.
func TestNewcomersEvictNobody(t *testing.T) {
	r := plainRig(t, func(cfg *Config) { cfg.Limit = 2 })
	r.process(r.deltas(pt{"user=a", 0, 1, 1}, pt{"user=b", 0, 1, 1}))
	for i := 2; i < 200; i++ {
		at := float64(i)
		// The new series are sent first and more often.
		out := r.send(r.deltas(pt{fmt.Sprint("user=x", i), at - 1, at, 1}, pt{fmt.Sprint("user=y", i), at - 1, at, 1},
			pt{"user=a", at - 1, at, 1}, pt{"user=b", at - 1, at, 1}))
		require.Len(t, out, 3)
		require.Equal(t, fmt.Sprintf(`{user="a"} %d..%d 1`, i-1, i), out[1])
		require.Equal(t, fmt.Sprintf(`{user="b"} %d..%d 1`, i-1, i), out[2])
	}
}

// TestNoHardSwaps checks that a flood of series does not replace known ones. Starting
// afresh each hour has this fault.
func TestNoHardSwaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := plainRig(t, func(cfg *Config) { cfg.Limit, cfg.MaxStale = 2, time.Hour })
		require.NoError(t, r.p.start(t.Context(), componenttest.NewNopHost()))
		r.process(r.deltas(pt{"user=a", 0, 1, 1}, pt{"user=b", 0, 1, 1}))
		for minute := range 300 {
			time.Sleep(time.Minute)
			at := float64(60 * (minute + 1))
			var points []pt
			for i := range 5 {
				points = append(points, pt{fmt.Sprint("user=", minute, "x", i), at - 60, at, 1})
			}
			if minute%50 == 0 { // seldom, yet within the hour
				points = append(points, pt{"user=a", at - 60, at, 1}, pt{"user=b", at - 60, at, 1})
				require.Len(t, r.send(r.deltas(points...)), 3, minute)
			} else {
				require.Len(t, r.send(r.deltas(points...)), 1, minute)
			}
		}
	})
}

// TestLimitIsPerResource checks that each resource has its own limit. Counting by metric
// name lets one service use up the limit of all.
func TestLimitIsPerResource(t *testing.T) {
	r := plainRig(t, func(cfg *Config) { cfg.Limit = 2 })
	for i := range 10 {
		md := r.deltas(pt{"user=a", 0, 10, 1}, pt{"user=b", 0, 10, 1})
		resource := md.ResourceMetrics().At(0).Resource().Attributes()
		resource.PutStr("service.name", fmt.Sprint("s", i/2))
		resource.PutInt("instance", int64(i%2))
		require.Equal(t, []string{`{user="a"} ..10 1`, `{user="b"} ..10 1`}, r.send(md), i)
	}
}

// TestKnownValuesStay checks that known values of a limited attribute stay. Removing an
// attribute with too many values loses these too.
func TestKnownValuesStay(t *testing.T) {
	r := plainRig(t, func(cfg *Config) { cfg.AttributeLimits = map[string]int{"user": 2} })
	for i := range 20 {
		from := float64(10 * (i + 1))
		to := from + 10
		require.Equal(t, []string{
			fmt.Sprintf(`{user="a"} %v..%v 1`, from, to), fmt.Sprintf(`{user="b"} %v..%v 2`, from, to), fmt.Sprintf(`{user="other"} %v..%v 12`, from, to),
		}, r.send(r.deltas(pt{"user=a", from, to, 1}, pt{"user=b", from, to, 2}, pt{fmt.Sprint("user=x", i), from, to, 4}, pt{fmt.Sprint("user=y", i), from, to, 8})), i)
	}
}

// TestConstantGrowthIsReportedAgain checks that growth at a constant rate is reported
// again. Comparing with the last period reports it once.
func TestConstantGrowthIsReportedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, logs := observedRig(t, func(cfg *Config) { cfg.Limit = 100 })
		last := int64(0)
		for window := range 10 {
			for i := range 60 {
				at := float64(60*window + i + 1)
				var points []pt
				for j := range 10 {
					points = append(points, pt{fmt.Sprint("user=", window, "-", i, "-", j), at - 1, at, 1})
				}
				r.process(r.deltas(points...))
				time.Sleep(time.Second)
			}
			warnings := logs.TakeAll()
			require.Len(t, warnings, 1, window)
			demand := warnings[0].ContextMap()["series"].(int64)
			require.Greater(t, demand, last, window)
			last = demand
		}
	})
}
