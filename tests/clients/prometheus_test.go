// SPDX-License-Identifier: Apache-2.0

package clients

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen"
)

// Scraped families come out under the convention's names, in the file and on the page.
func TestRealPrometheusEndpoints(t *testing.T) {
	t.Parallel()
	tensorcast, tensorcastFamilies := startEndpoint(t, "tensorcast")
	fastdeploy, fastdeployFamilies := startEndpoint(t, "fastdeploy")
	c := collectortest.Start(t, collectortest.Options{Env: map[string]string{
		"OTELCOL_TC_SCRAPE_TARGETS":  fmt.Sprintf("[%q, %q]", tensorcast, fastdeploy),
		"OTELCOL_TC_SCRAPE_INTERVAL": "1s",
	}})

	families := slices.Concat(tensorcastFamilies, fastdeployFamilies)
	collectortest.Eventually(t, time.Minute, func() (bool, string) {
		missing := tcgen.MissingFamilies(families, tcgen.ScrapedNames(t, c))
		return len(missing) == 0, fmt.Sprintf("not in the file yet: %q", missing)
	})

	got := tcgen.ScrapedNames(t, c)
	tcgen.AssertMetricNames(t, slices.Collect(maps.Values(got)))
	tcgen.AssertRenames(t, map[string]string{
		"tc_transport_wait_seconds":           "tc_transport_wait_seconds",
		"tensorcast_memory_tier_stable_bytes": "tc_memory_tier_stable_bytes",
		"fastdeploy:num_requests_running":     "tc_fastdeploy_num_requests_running",
		"up":                                  "up",
	}, got)

	metrics := c.Metrics(t)
	tcgen.CheckSeries(t, metrics, tcgen.IDKeys)
	checkScrape(t, metrics, tensorcast, map[string]float64{
		"tc_replicas_per_artifact":      2,       // the mean of two
		"tc_view_partial_backlog_bytes": 4 * 512, // the sum of two views of two artifacts each
	})

	page := c.Scrape(t)
	tcgen.AssertPageNames(t, slices.Collect(maps.Keys(page)))
	tcgen.AssertNoIDs(t, page)
	for _, name := range []string{
		"tc_replica_register_total", "tc_memory_tier_stable_bytes", "tc_fastdeploy_num_requests_running",
	} {
		assert.Contains(t, page, name)
	}
}

// checkScrape checks gauges of a target, by original name, in each of its scrapes.
func checkScrape(t *testing.T, metrics pmetric.Metrics, target string, want map[string]float64) {
	t.Helper()
	for i, scrape := range tcgen.Scrapes(metrics, target) {
		got := map[string]float64{}
		for metric := range collectortest.AllMetrics(scrape) {
			if _, ok := want[tcgen.OriginalMetricName(metric)]; ok {
				require.Len(t, tcgen.PointsOf(metric), 1, metric.Name())
				got[tcgen.OriginalMetricName(metric)] = metric.Gauge().DataPoints().At(0).DoubleValue()
			}
		}
		assert.Equal(t, want, got, "scrape %d", i)
	}
}
