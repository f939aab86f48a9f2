// SPDX-License-Identifier: Apache-2.0

package cardinality

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// route is how requests come to a gateway: at once, or by an agent.
type route struct {
	first, gateway *collectortest.Collector
}

// routes starts a gateway, and another one with an agent before it.
func routes(t *testing.T) map[string]route {
	t.Helper()
	options := collectortest.Options{Configs: collectortest.WithFragments("gateway-prometheus-page")}
	direct, behind := collectortest.Start(t, options), collectortest.Start(t, options)
	agent := collectortest.Start(t, collectortest.Options{
		Configs: collectortest.WithFragments("agent-host"),
		Env:     map[string]string{"OTELCOL_TC_GATEWAYS": fmt.Sprintf("[%q]", behind.GRPC)},
	})
	return map[string]route{"gateway": {direct, direct}, "agent": {agent, behind}}
}

// metricProtocols send a request of metrics and return what was answered.
var metricProtocols = map[string]func(*testing.T, *collectortest.Collector, pmetric.Metrics) error{
	"grpc": func(t *testing.T, c *collectortest.Collector, md pmetric.Metrics) error {
		connection := collectortest.Dial(t, c.GRPC)
		_, err := pmetricotlp.NewGRPCClient(connection).Export(t.Context(), pmetricotlp.NewExportRequestFromMetrics(md))
		return err
	},
	"http": func(t *testing.T, c *collectortest.Collector, md pmetric.Metrics) error {
		body, err := pmetricotlp.NewExportRequestFromMetrics(md).MarshalProto()
		require.NoError(t, err)
		if status := collectortest.Post(t, c, "/v1/metrics", body, ""); status != http.StatusOK {
			return fmt.Errorf("status %d", status)
		}
		return nil
	},
}

// overAllRoutes sends what request makes over each protocol to each profile, together with
// an honest gauge, and requires that the gauge is soon on the gateway's page, and that
// nobody died.
func overAllRoutes(t *testing.T, request func(md pmetric.Metrics), check func(t *testing.T, w route)) {
	t.Helper()
	for profile, w := range routes(t) {
		for protocol, send := range metricProtocols {
			t.Run(profile+" over "+protocol, func(t *testing.T) {
				honest := "tc_honest_" + profile + "_" + protocol
				md := pmetric.NewMetrics()
				rm := md.ResourceMetrics().AppendEmpty()
				rm.Resource().Attributes().PutStr("service.name", "hostile-"+protocol)
				request(md)
				m := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().AppendEmpty()
				m.SetName(honest)
				dp := m.SetEmptyGauge().DataPoints().AppendEmpty()
				dp.SetIntValue(42)
				dp.SetTimestamp(pcommon.NewTimestampFromTime(time.Now()))
				require.NoError(t, send(t, w.first, md))

				collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
					require.True(t, w.first.Running() && w.gateway.Running(), "a process died")
					scraped := time.Now()
					page := w.gateway.Scrape(t)
					collectortest.Within(t, time.Since(scraped), 5*time.Second, "the page takes too long")
					return collectortest.Sum(page[honest], nil) == 42, "the honest metric is not on the page"
				})
				check(t, w)
			})
		}
	}
}

// deltaPair adds a metric of two delta points whose intervals follow one another, which
// an exporter that shows cumulative values adds up.
func deltaPair(md pmetric.Metrics, name string, first, second func(pmetric.ExponentialHistogramDataPoint)) {
	rm := md.ResourceMetrics().At(0)
	if rm.ScopeMetrics().Len() == 0 {
		rm.ScopeMetrics().AppendEmpty()
	}
	m := rm.ScopeMetrics().At(0).Metrics().AppendEmpty()
	m.SetName(name)
	m.SetEmptyExponentialHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
	at := time.Now().Add(-time.Minute)
	for _, fill := range []func(pmetric.ExponentialHistogramDataPoint){first, second} {
		dp := m.ExponentialHistogram().DataPoints().AppendEmpty()
		dp.SetStartTimestamp(pcommon.NewTimestampFromTime(at))
		at = at.Add(time.Second)
		dp.SetTimestamp(pcommon.NewTimestampFromTime(at))
		fill(dp)
	}
}

func exponentialAt(scale, offset int32) func(pmetric.ExponentialHistogramDataPoint) {
	return func(dp pmetric.ExponentialHistogramDataPoint) {
		dp.SetScale(scale)
		dp.SetCount(1)
		dp.Positive().SetOffset(offset)
		dp.Positive().BucketCounts().FromRaw([]uint64{1})
	}
}

// hostileExponentials adds pairs of points that end a process that adds them up, or take
// all its memory, or that no number is in.
func hostileExponentials(md pmetric.Metrics) {
	f := func(name string, scale, offset, scale2, offset2 int32) {
		deltaPair(md, "tc_hostile_"+name, exponentialAt(scale, offset), exponentialAt(scale2, offset2))
	}
	f("scale", 40, 1<<30, 0, -1<<30)
	f("far", 20, -1<<27, 20, 1<<27)
	f("farthest", 20, -1<<30, 20, 1<<30-1)
	f("coarse", -40, 1, 20, 5)
	f("limits", 0, math.MinInt32, 0, math.MaxInt32)
	f("fine_and_coarse", 20, 1<<27, 0, -1000)
	zeros := make([]uint64, 3_000_000)
	deltaPair(md, "tc_hostile_zeros", exponentialAt(3, 0), func(dp pmetric.ExponentialHistogramDataPoint) {
		exponentialAt(3, -5)(dp)
		dp.Positive().BucketCounts().FromRaw(append([]uint64{1}, zeros...))
	})
	deltaPair(md, "tc_hostile_count", exponentialAt(3, 0), func(dp pmetric.ExponentialHistogramDataPoint) {
		exponentialAt(3, -5)(dp)
		dp.SetCount(math.MaxUint64)
	})
}

// Exponential histograms that an exporter cannot take are dropped or repaired by whoever
// gets them first, and counted; all else of their request arrives.
func TestHostileExponentialHistograms(t *testing.T) {
	t.Parallel()
	overAllRoutes(t, hostileExponentials, func(t *testing.T, w route) {
		t.Helper()
		self := w.first.SelfMetrics(t)
		for _, reason := range []string{"scale", "index", "count"} {
			assert.Positive(t, collectortest.Sum(self["otelcol_cardinality_dropped_points"], map[string]string{"reason": reason}), reason)
		}
		for _, reason := range []string{"resolution", "buckets"} {
			assert.Positive(t, collectortest.Sum(self["otelcol_cardinality_repaired_points"], map[string]string{"reason": reason}), reason)
		}
		assert.Contains(t, w.first.Logs(), "A data point that exporters cannot send was dropped")
		if w.first != w.gateway { // nothing is left for the gateway to do
			self := w.gateway.SelfMetrics(t)
			assert.Zero(t, collectortest.Sum(self["otelcol_cardinality_repaired_points"], nil))
		}
	})
}

// Histograms whose buckets do not fit their bounds end a process that adds up two of them.
func TestHostileExplicitHistograms(t *testing.T) {
	t.Parallel()
	overAllRoutes(t, func(md pmetric.Metrics) {
		metrics := md.ResourceMetrics().At(0).ScopeMetrics().AppendEmpty().Metrics()
		for name, point := range map[string]struct {
			bounds []float64
			counts []uint64
		}{
			"more":     {[]float64{1}, []uint64{1, 2, 3, 4}},
			"fewer":    {[]float64{1}, []uint64{1}},
			"none":     {[]float64{1}, nil},
			"nan":      {[]float64{math.NaN()}, []uint64{1, 2}},
			"unsorted": {[]float64{2, 1}, []uint64{1, 2, 3}},
			"many":     {hundredThousandBounds(), slices.Repeat([]uint64{1}, 100_001)},
		} {
			m := metrics.AppendEmpty()
			m.SetName("tc_hostile_" + name)
			m.SetEmptyHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
			at := time.Now().Add(-time.Minute)
			for i := range 3 {
				dp := m.Histogram().DataPoints().AppendEmpty()
				dp.SetStartTimestamp(pcommon.NewTimestampFromTime(at))
				at = at.Add(time.Second)
				dp.SetTimestamp(pcommon.NewTimestampFromTime(at))
				if i == 1 {
					dp.ExplicitBounds().FromRaw(point.bounds)
					dp.BucketCounts().FromRaw(point.counts)
				} else {
					dp.ExplicitBounds().FromRaw([]float64{1})
					dp.BucketCounts().FromRaw([]uint64{1, 1})
				}
				for _, count := range dp.BucketCounts().All() {
					dp.SetCount(dp.Count() + count)
				}
			}
		}
	}, func(t *testing.T, w route) {
		t.Helper()
		self := w.first.SelfMetrics(t)
		assert.Positive(t, collectortest.Sum(self["otelcol_cardinality_dropped_points"], map[string]string{"reason": "bounds"}))
		assert.Positive(t, collectortest.Sum(self["otelcol_cardinality_repaired_points"], map[string]string{"reason": "buckets"}))
	})
}

func hundredThousandBounds() (bounds []float64) {
	for i := range 100_000 {
		bounds = append(bounds, float64(i))
	}
	return bounds
}
