// SPDX-License-Identifier: Apache-2.0

package bystander

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// Exporters of a large cluster have more series of one metric than the default budget of a metric has places: 600
// pods in five phases, and 512 CPUs in eight modes. Dashboards need each of them.
func TestExportersOfLargeClusters(t *testing.T) {
	t.Parallel()
	want := map[string]int{"kube_pod_status_phase": 600 * 5, "node_cpu_seconds_total": 512 * 8, "container_memory_failures_total": 700 * 4}
	var page strings.Builder
	for name, series := range want {
		fmt.Fprintf(&page, "# TYPE %s gauge\n", name)
		for i := range series {
			fmt.Fprintf(&page, "%s{number=\"%d\"} 1\n", name, i)
		}
	}
	server := collectortest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write([]byte(page.String())) // the client may be gone
	}))
	c := collectortest.Start(t, collectortest.Options{Env: map[string]string{
		"OTELCOL_TC_SCRAPE_TARGETS":  fmt.Sprintf("[%q]", server),
		"OTELCOL_TC_SCRAPE_INTERVAL": "2s",
	}})
	collectortest.Eventually(t, 2*collectortest.ArrivalTimeout, func() (bool, string) {
		shown := c.Scrape(t)
		for name, series := range want {
			if got := len(shown[name].GetMetric()); got != series {
				return false, fmt.Sprintf("%s has %d series, want %d", name, got, series)
			}
		}
		return true, ""
	})
}
