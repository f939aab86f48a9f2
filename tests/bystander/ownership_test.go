// SPDX-License-Identifier: Apache-2.0

package bystander

import (
	"fmt"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// Telemetry that resembles that of a pack's system comes out of builtin:dev byte for byte, without links.
func TestStrangersAreNotOwned(t *testing.T) {
	t.Parallel()
	page := servePages(t, "testdata/strangers")[0]
	c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", stock, fmt.Sprintf(`yaml:{receivers: {prometheus: {config: {
  scrape_configs: [{job_name: shop, scrape_interval: 1s, static_configs: [{targets: [%q]}]}]}}}}`, page.target)}})
	now := instant()
	collectortest.PostTraces(t, c, tracesOf(t, "strangers", now))
	collectortest.PostMetrics(t, c, metricsOf(t, "strangers", now))
	collectortest.PostLogs(t, c, logsOf(t, "strangers", now))
	sent := itemsOf(t, tracesOf(t, "strangers", now))
	requireSame(t, sent, itemsOf(t, collectortest.AwaitSpans(t, c, len(sent))))
	records := itemsOf(t, logsOf(t, "strangers", now))
	requireSame(t, records, itemsOf(t, collectortest.AwaitRecords(t, c, len(records))))

	var want, got items
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		want, got = page.points(t, c.MetricsIn(t, "stock.json")), page.points(t, c.Metrics(t))
		return len(want) > 0 && len(got) > 0, "the page has not come"
	})
	page.down.Store(true)
	collectortest.Eventually(t, 2*collectortest.ArrivalTimeout, func() (bool, string) {
		want, got = page.points(t, c.MetricsIn(t, "stock.json")), page.points(t, c.Metrics(t))
		return page.final() && len(got) >= len(want), fmt.Sprintf("%d of %d points", len(got), len(want))
	})
	requireSame(t, want, got)
	requireSame(t, itemsOf(t, metricsOf(t, "strangers", now)), itemsOf(t, withoutMade(ofMetrics(c.Metrics(t), func(resource pcommon.Resource) bool {
		return ofService(resource) == "acme-global-store-web" || ofService(resource) == "carpets-tuft"
	}))))
}
