// SPDX-License-Identifier: Apache-2.0

package prometheuspageexporter

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// cluster is a batch of 50 pods with 200 series each, as many of which are histograms as in a
// model server's.
func cluster(at int64) pmetric.Metrics {
	batch := pmetric.NewMetrics()
	for pod := range 50 {
		rm := batch.ResourceMetrics().AppendEmpty()
		resource := rm.Resource().Attributes()
		resource.PutStr("service.name", "server")
		resource.PutStr("service.instance.id", fmt.Sprint("server-", pod))
		resource.PutStr("k8s.pod.name", fmt.Sprint("server-", pod))
		sm := rm.ScopeMetrics().AppendEmpty()
		sm.Scope().SetName("meter")
		sm.Scope().SetVersion("1.0")
		attributes := func(a pcommon.Map, i int) {
			a.PutStr("model", fmt.Sprint("model-", i%7))
			a.PutStr("http.request.method", "GET")
			a.PutStr("http.route", fmt.Sprint("/v1/route/", i))
			a.PutInt("http.response.status_code", 200)
		}
		for i := range 10 {
			sum := sm.Metrics().AppendEmpty()
			sum.SetName(fmt.Sprint("http.requests", i))
			sum.SetEmptySum().SetIsMonotonic(true)
			sum.Sum().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
			for j := range 18 {
				p := sum.Sum().DataPoints().AppendEmpty()
				p.SetTimestamp(seconds(at))
				p.SetIntValue(at)
				attributes(p.Attributes(), j)
			}
			histogram := sm.Metrics().AppendEmpty()
			histogram.SetName(fmt.Sprint("http.request.duration", i))
			histogram.SetUnit("s")
			histogram.SetEmptyHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
			for j := range 2 {
				p := histogram.Histogram().DataPoints().AppendEmpty()
				p.SetTimestamp(seconds(at))
				p.ExplicitBounds().FromRaw([]float64{0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10})
				p.BucketCounts().FromRaw(make([]uint64, 15))
				attributes(p.Attributes(), j)
			}
		}
	}
	return batch
}

func both(b *testing.B, run func(b *testing.B, s *served)) {
	b.Run("stock", func(b *testing.B) { run(b, serveStock(b)) })
	b.Run("ours", func(b *testing.B) { run(b, serve(b, nil)) })
}

// BenchmarkConsume measures 10,000 existing series. The stock exporter needs its own copy of a
// batch that other exporters receive as well, as in the profiles.
func BenchmarkConsume(b *testing.B) {
	both(b, func(b *testing.B, s *served) {
		s.consume(b, cluster(0))
		at := int64(0)
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			at++
			batch := cluster(at)
			b.StartTimer()
			if s.exporter.Capabilities().MutatesData {
				copied := pmetric.NewMetrics()
				batch.CopyTo(copied)
				batch = copied
			}
			require.NoError(b, s.exporter.ConsumeMetrics(b.Context(), batch))
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/point")
	})
}

// BenchmarkScrape measures the same series, without compression.
func BenchmarkScrape(b *testing.B) {
	both(b, func(b *testing.B, s *served) {
		s.consume(b, cluster(0))
		b.ReportAllocs()
		for b.Loop() {
			request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, s.url, http.NoBody)
			require.NoError(b, err)
			request.Header.Set("Accept", openMetrics)
			request.Header.Set("Accept-Encoding", "identity")
			response, err := http.DefaultClient.Do(request)
			require.NoError(b, err)
			n, err := io.Copy(io.Discard, response.Body)
			require.NoError(b, err)
			require.NoError(b, response.Body.Close())
			b.SetBytes(n)
		}
	})
}
