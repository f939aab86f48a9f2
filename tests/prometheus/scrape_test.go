// SPDX-License-Identifier: Apache-2.0

package prometheus

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// Conformant names, so that the test is about the way and not about naming.
const runtimePage = `# HELP tc_transport_requests_total Requests by method.
# TYPE tc_transport_requests_total counter
tc_transport_requests_total{method="put"} 41
# HELP tc_transport_wait_seconds Time in the queue.
# TYPE tc_transport_wait_seconds histogram
tc_transport_wait_seconds_bucket{le="0.5"} 3
tc_transport_wait_seconds_bucket{le="+Inf"} 4
tc_transport_wait_seconds_sum 2.5
tc_transport_wait_seconds_count 4
`

func TestScrapedMetricsComeOutOnPageAndInFile(t *testing.T) {
	runtime := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		_, _ = w.Write([]byte(runtimePage))
	}))
	defer runtime.Close()
	target := strings.TrimPrefix(runtime.URL, "http://")
	c := collectortest.Start(t, collectortest.Options{Env: map[string]string{
		"OTELCOL_TC_SCRAPE_TARGETS": fmt.Sprintf("[%q]", target),
	}})

	labels := map[string]string{"job": "runtimes", "instance": target}
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		got := collectortest.Sum(c.Scrape(t)["tc_transport_wait_seconds"], labels)
		return got == 4, fmt.Sprintf("tc_transport_wait_seconds on the page: %v of 4", got)
	})
	page := c.Scrape(t)
	assert.Equal(t, 41.0, collectortest.Sum(page["tc_transport_requests_total"], labels))
	assert.Equal(t, 1.0, collectortest.Sum(page["up"], labels))

	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		written := c.Metrics(t)
		return hasMetric(written, target, "tc_transport_requests_total"),
			fmt.Sprintf("%d metrics in metrics.json, not the one of %s", written.MetricCount(), target)
	})
}

// hasMetric tells whether a service instance has sent a metric of this name.
func hasMetric(metrics pmetric.Metrics, instance, name string) bool {
	for _, resource := range metrics.ResourceMetrics().All() {
		id, ok := resource.Resource().Attributes().Get("service.instance.id")
		if !ok || id.Str() != instance {
			continue
		}
		for _, scope := range resource.ScopeMetrics().All() {
			for _, metric := range scope.Metrics().All() {
				if metric.Name() == name {
					return true
				}
			}
		}
	}
	return false
}
