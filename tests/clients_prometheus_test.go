package tests

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
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
	collectortest.Eventually(t, 30*time.Second, func() (bool, string) {
		missing := missingFamilies(families, scrapedNames(t, c))
		return len(missing) == 0, fmt.Sprintf("not in the file yet: %q", missing)
	})

	got := scrapedNames(t, c)
	assertMetricNames(t, slices.Collect(maps.Values(got)))
	assertRenames(t, map[string]string{
		"tc_transport_wait_seconds":           "tc_transport_wait_seconds",
		"tensorcast_memory_tier_stable_bytes": "tc_memory_tier_stable_bytes",
		"fastdeploy:num_requests_running":     "tc_fastdeploy_num_requests_running",
		"up":                                  "up",
	}, got)

	metrics := c.Metrics(t)
	checkSeries(t, metrics, idKeys)
	checkScrape(t, metrics, tensorcast, map[string]float64{
		"tc_replicas_per_artifact":      2,       // the mean of two
		"tc_view_partial_backlog_bytes": 4 * 512, // the sum of two views of two artifacts each
	})

	page := c.Scrape(t)
	assertPageNames(t, slices.Collect(maps.Keys(page)))
	assertNoIDs(t, page)
	for _, name := range []string{
		"tc_replica_register_total", "tc_memory_tier_stable_bytes", "tc_fastdeploy_num_requests_running",
	} {
		assert.Contains(t, page, name)
	}
}

// checkScrape checks gauges of a target, by original name, in each of its scrapes.
func checkScrape(t *testing.T, metrics pmetric.Metrics, target string, want map[string]float64) {
	t.Helper()
	for i, scrape := range scrapes(metrics, target) {
		got := map[string]float64{}
		for metric := range allMetrics(scrape) {
			if _, ok := want[originalMetricName(metric)]; ok {
				require.Len(t, pointsOf(metric), 1, metric.Name())
				got[originalMetricName(metric)] = metric.Gauge().DataPoints().At(0).DoubleValue()
			}
		}
		assert.Equal(t, want, got, "scrape %d", i)
	}
}

// scrapedNames maps each original name in the metrics file to the name it came out with.
func scrapedNames(t *testing.T, c *collectortest.Collector) map[string]string {
	t.Helper()
	names := map[string]string{}
	for metric := range allMetrics(c.Metrics(t)) {
		names[originalMetricName(metric)] = metric.Name()
	}
	return names
}

var perIndex = regexp.MustCompile(`_rate_\d+$`)

// missingFamilies returns the families that did not come out. A counter goes
// over the wire with _total, whether its owner named it so or not.
func missingFamilies(families []string, got map[string]string) []string {
	return slices.DeleteFunc(slices.Clone(families), func(family string) bool {
		// Names per index become one metric, which keeps the first one's name.
		family = perIndex.ReplaceAllString(family, "_rate_0")
		_, plain := got[family]
		_, total := got[strings.TrimSuffix(family, "_total")+"_total"]
		return plain || total
	})
}
