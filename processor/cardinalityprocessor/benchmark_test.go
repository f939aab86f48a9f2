// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"strconv"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

const perRequest = 512

// requests returns requests that together have a number of series of cumulative sums. Each
// has five attributes, one of which is an id.
func requests(service string, series int, timestamp time.Time) []pmetric.Metrics {
	var all []pmetric.Metrics
	var points pmetric.NumberDataPointSlice
	for i := range series {
		if i%perRequest == 0 {
			md := pmetric.NewMetrics()
			rm := md.ResourceMetrics().AppendEmpty()
			rm.Resource().Attributes().PutStr("service.name", service)
			m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
			m.SetName("tc_requests")
			m.SetEmptySum().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
			m.Sum().SetIsMonotonic(true)
			points = m.Sum().DataPoints()
			all = append(all, md)
		}
		dp := points.AppendEmpty()
		dp.Attributes().PutStr("tc.component", "StoreDaemon")
		dp.Attributes().PutStr("tc.location", []string{"gpu", "cpu"}[i%2])
		dp.Attributes().PutInt("tc.device.id", int64(i/2%8))
		dp.Attributes().PutStr("tc.source.type", "remote")
		dp.Attributes().PutStr("id", "artifact-"+strconv.Itoa(i))
		dp.SetIntValue(int64(i))
		dp.SetStartTimestamp(pcommon.NewTimestampFromTime(timestamp))
		dp.SetTimestamp(pcommon.NewTimestampFromTime(timestamp.Add(time.Second)))
	}
	return all
}

// plain keeps all attributes, so that nothing is merged.
func plain(cfg *Config) {
	cfg.DropAttributes = nil
	cfg.Limit, cfg.ServiceLimit = 1_000_000, 0
}

// BenchmarkKnown measures points of known series that keep all attributes. The requests
// take turns with parts of the series, so that their size does not depend on the number of
// series.
func BenchmarkKnown(b *testing.B) {
	for _, series := range []int{1000, 100_000} {
		b.Run(strconv.Itoa(series), func(b *testing.B) {
			p := newTestProcessor(b, plain)
			md := requests("a", perRequest, p.store.Started)[0]
			var ids []pcommon.Value
			for _, dp := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().All() {
				id, _ := dp.Attributes().Get("id")
				ids = append(ids, id)
			}
			batches, spent := 0, time.Duration(0)
			round := func() {
				for i, id := range ids {
					id.SetInt(int64((batches*perRequest + i) % series))
				}
				batches++
				began := time.Now()
				_, _ = p.process(b.Context(), md)
				spent += time.Since(began)
			}
			for range series/perRequest*8 + 8 {
				round()
			}
			b.ReportAllocs()
			batches, spent = 0, 0
			for b.Loop() {
				round()
			}
			b.ReportMetric(float64(spent.Nanoseconds())/float64(batches)/perRequest, "ns/point")
		})
	}
}

// BenchmarkReaggregate measures points that lose their id and are merged. Making the
// requests again for each round is not measured.
func BenchmarkReaggregate(b *testing.B) {
	for _, series := range []int{1000, 100_000} {
		b.Run(strconv.Itoa(series), func(b *testing.B) {
			p := newTestProcessor(b, nil)
			all := requests("a", series, p.store.Started)
			now := p.store.Started.Add(time.Minute)
			points, i, spent := 0, 0, time.Duration(0)
			work := pmetric.NewMetrics()
			round := func() {
				if i == 0 {
					now = now.Add(time.Second)
				}
				all[i].CopyTo(work)
				for _, dp := range work.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().All() {
					dp.SetTimestamp(pcommon.NewTimestampFromTime(now))
				}
				points += work.DataPointCount()
				i = (i + 1) % len(all)
				began := time.Now()
				_, _ = p.process(b.Context(), work)
				spent += time.Since(began)
			}
			for range all {
				round()
			}
			points, spent = 0, 0
			for b.Loop() {
				round()
			}
			b.ReportMetric(float64(spent.Nanoseconds())/float64(points), "ns/point")
			b.ReportMetric(0, "ns/op")
		})
	}
}
