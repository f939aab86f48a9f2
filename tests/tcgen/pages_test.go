// SPDX-License-Identifier: Apache-2.0

package tcgen

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// pagesWanted is how often a page has to be scraped: the first time is where counting
// begins, and new ids come with each.
const pagesWanted = 4

// jobs gives each page its service's name, by which a pack knows that it speaks of
// metrics like http_requests_total.
const jobs = `
receivers:
  prometheus:
    config:
      scrape_configs:
        - {job_name: tensorcast-global-store, scrape_interval: 1s, static_configs: [{targets: [%q]}]}
        - {job_name: FastDeploy, scrape_interval: 1s, static_configs: [{targets: [%q]}]}
`

// Pages whose series are new with each scrape come out without ids, and what they
// count adds up.
func TestPagesWithIDs(t *testing.T) {
	t.Parallel()
	tensorcast, fastdeploy := servePages(t, "tensorcast"), servePages(t, "fastdeploy")
	config := filepath.Join(t.TempDir(), "jobs.yaml")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, jobs, tensorcast.target, fastdeploy.target), 0o600))
	c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", config}})
	since := time.Now()
	ids := append([]string{"path"}, IDKeys...)

	for _, p := range []*pages{tensorcast, fastdeploy} {
		collectortest.Eventually(t, 4*collectortest.ArrivalTimeout, func() (bool, string) {
			got := len(Scrapes(c.Metrics(t), p.target))
			return got >= pagesWanted, fmt.Sprintf("%d scrapes of %s written, %d wanted", got, p.target, pagesWanted)
		})
	}
	metrics := c.Metrics(t)
	CheckSeries(t, metrics, ids)
	for _, p := range []*pages{tensorcast, fastdeploy} {
		m := NewMerger(since, ids)
		m.complete = true
		for i, received := range Scrapes(metrics, p.target) {
			// A scrape that failed is no fault of the collector's, but would have to be told
			// to the merger.
			require.NotZero(t, value(received, "up"), "scrape %d of %s", i, p.target)
			assert.Zero(t, lost(p.page(i), received), "families of scrape %d", i)
			CheckKept(t, pageItems(t, m.Batch(t, p.page(i))), pageItems(t, received))
		}
	}
}

// pages is a system's Prometheus page, which has one scenario more each time that it
// is scraped.
type pages struct {
	target string // host:port

	mu     sync.Mutex
	served []pmetric.Metrics // guarded by mu
}

func servePages(t *testing.T, system string) *pages {
	t.Helper()
	generator, err := scenario.New(system, Seed, time.Now())
	require.NoError(t, err)
	p := &pages{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		generator.Next(time.Now())
		families, err := generator.(scenario.Scraped).Gatherer().Gather()
		var text bytes.Buffer
		for _, family := range families {
			if err == nil {
				_, err = expfmt.MetricFamilyToText(&text, family)
			}
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		p.served = append(p.served, fromPage(families))
		w.Header().Set("Content-Type", string(expfmt.NewFormat(expfmt.TypeTextPlain)))
		_, _ = text.WriteTo(w)
	}))
	t.Cleanup(server.Close)
	p.target = strings.TrimPrefix(server.URL, "http://")
	return p
}

func (p *pages) page(i int) pmetric.Metrics {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.served[i]
}

// fromPage returns a page as OTLP has it.
func fromPage(families []*dto.MetricFamily) pmetric.Metrics {
	metrics := pmetric.NewMetrics()
	scope := metrics.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty()
	for _, family := range families {
		metric := scope.Metrics().AppendEmpty()
		metric.SetName(family.GetName())
		switch family.GetType() {
		case dto.MetricType_HISTOGRAM:
			histogram := metric.SetEmptyHistogram()
			histogram.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
			for _, m := range family.GetMetric() {
				fillHistogram(histogram.DataPoints().AppendEmpty(), m, family.GetName())
			}
		case dto.MetricType_COUNTER:
			sum := metric.SetEmptySum()
			sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
			sum.SetIsMonotonic(true)
			for _, m := range family.GetMetric() {
				fillNumber(sum.DataPoints().AppendEmpty(), m, m.GetCounter().GetValue())
			}
		default:
			gauge := metric.SetEmptyGauge()
			for _, m := range family.GetMetric() {
				fillNumber(gauge.DataPoints().AppendEmpty(), m, inBaseUnit(family.GetName(), m.GetGauge().GetValue()))
			}
		}
	}
	return metrics
}

func fillNumber(p pmetric.NumberDataPoint, m *dto.Metric, value float64) {
	fillAttributes(p.Attributes(), m)
	p.SetDoubleValue(value)
}

func fillHistogram(p pmetric.HistogramDataPoint, m *dto.Metric, family string) {
	fillAttributes(p.Attributes(), m)
	below := uint64(0)
	for _, bucket := range m.GetHistogram().GetBucket() {
		p.ExplicitBounds().Append(inBaseUnit(family, bucket.GetUpperBound()))
		p.BucketCounts().Append(bucket.GetCumulativeCount() - below)
		below = bucket.GetCumulativeCount()
	}
	p.BucketCounts().Append(m.GetHistogram().GetSampleCount() - below)
	p.SetCount(m.GetHistogram().GetSampleCount())
	p.SetSum(inBaseUnit(family, m.GetHistogram().GetSampleSum()))
}

func fillAttributes(attributes pcommon.Map, m *dto.Metric) {
	for _, label := range m.GetLabel() {
		attributes.PutStr(label.GetName(), label.GetValue())
	}
}

// value returns the value of a metric with one point; 0 for none.
func value(metrics pmetric.Metrics, name string) float64 {
	for metric := range collectortest.AllMetrics(metrics) {
		if metric.Name() == name && metric.Gauge().DataPoints().Len() > 0 {
			return metric.Gauge().DataPoints().At(0).DoubleValue()
		}
	}
	return 0
}

// lost counts the families of a page that did not come out.
func lost(page, received pmetric.Metrics) int {
	var families []string
	for metric := range collectortest.AllMetrics(page) {
		families = append(families, metric.Name())
	}
	names := map[string]string{}
	for metric := range collectortest.AllMetrics(received) {
		names[OriginalMetricName(metric)] = metric.Name()
	}
	return len(MissingFamilies(families, names))
}

// pageItems returns the metrics of a page or a scrape without what a page does not
// say: times, and the scrape's own metrics. Nor does it say which of several values of
// one time is the last, as a *_created gauge without ids is; and names per index
// become an attribute.
func pageItems(t *testing.T, metrics pmetric.Metrics) []Item {
	t.Helper()
	plain := pmetric.NewMetrics()
	scope := plain.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty()
	for metric := range collectortest.AllMetrics(metrics) {
		original := OriginalMetricName(metric)
		_, copied := metric.Metadata().Get(naming.CopyOfKey)
		if copied || original == "up" || strings.HasPrefix(original, "scrape_") || perIndex.MatchString(original) {
			continue
		}
		metric.CopyTo(scope.Metrics().AppendEmpty())
	}
	for metric := range collectortest.AllMetrics(plain) {
		for _, p := range PointsOf(metric) {
			p.SetStartTimestamp(0)
			p.SetTimestamp(0)
			roundPoint(p)
			if number, ok := p.(pmetric.NumberDataPoint); ok && strings.HasSuffix(OriginalMetricName(metric), "_created") {
				number.SetDoubleValue(0)
			}
		}
	}
	return MetricItems(t, plain)
}
