// SPDX-License-Identifier: Apache-2.0

package bystander

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// What no pack owns comes out of an agent and a gateway as it came in, while everything that packs own is
// repaired in the same pipelines. Without settings, because that is what a first start runs.
func TestBystandersPass(t *testing.T) {
	t.Parallel()
	c := startChain(t, nil)
	now := instant()
	collectortest.PostTraces(t, c.agent, tracesOf(t, "senders", now))
	collectortest.PostMetrics(t, c.agent, metricsOf(t, "senders", now))
	collectortest.PostLogs(t, c.agent, logsOf(t, "senders", now))
	c.sendOwned(t)
	t.Run("Prometheus page", func(t *testing.T) { c.awaitShown(t) })
	c.endPages(t)

	t.Run("traces", func(t *testing.T) {
		requireSame(t, itemsOf(t, tracesOf(t, "senders", now)), itemsOf(t, withoutAdded(tracesOf(t, "senders", now), c.traces(t, tracesOf(t, "senders", now)))))
	})
	t.Run("logs", func(t *testing.T) {
		requireSame(t, itemsOf(t, logsOf(t, "senders", now)), itemsOf(t, c.logs(t)))
	})
	t.Run("metrics", func(t *testing.T) {
		requireSame(t, itemsOf(t, metricsOf(t, "senders", now)), itemsOf(t, c.metrics(t)))
	})
	for _, page := range c.pages {
		t.Run(page.name, func(t *testing.T) {
			c.requireSamePage(t, page)
		})
	}
	// Public dashboards, alerts and autoscalers know the names and labels of these.
	for _, page := range c.kept {
		t.Run("kept "+page.name, func(t *testing.T) { c.requireKeptPage(t, page) })
	}
	t.Run("owned", func(t *testing.T) { c.requireRepaired(t) })
}

// In audit mode nothing changes of what packs own, either.
func TestAuditChangesNothing(t *testing.T) {
	t.Parallel()
	c := startChain(t, map[string]string{"OTELCOL_TC_MODE": "audit"})
	now := instant()
	collectortest.PostTraces(t, c.agent, tracesOf(t, "senders", now))
	c.sendOwned(t)
	c.awaitShown(t)
	c.endPages(t)
	requireSame(t, itemsOf(t, tracesOf(t, "senders", now)), itemsOf(t, withoutAdded(tracesOf(t, "senders", now), c.traces(t, tracesOf(t, "senders", now)))))
	for _, page := range c.allPages() {
		c.requireSamePage(t, page)
	}
	c.requireUnchanged(t)
}

// Of the content of conversations nothing leaves an agent, in audit mode as well, and what is measured
// beside it stays as it was.
func TestContentOfBystanders(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"enforce", "audit"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c := startChain(t, map[string]string{"OTELCOL_TC_MODE": mode})
			now := instant()
			collectortest.PostTraces(t, c.agent, tracesOf(t, "assistants", now))
			collectortest.PostMetrics(t, c.agent, metricsOf(t, "assistants", now))
			got := c.traces(t, tracesOf(t, "assistants", now))
			for _, item := range itemsOf(t, got) {
				assert.NotContains(t, item, secret)
			}
			requireSame(t, itemsOf(t, withoutContent(tracesOf(t, "assistants", now))), itemsOf(t, withoutContent(withoutAdded(tracesOf(t, "assistants", now), got))))
			requireSame(t, itemsOf(t, metricsOf(t, "assistants", now)), itemsOf(t, c.metrics(t)))
		})
	}
}

// With content: keep even the content passes.
func TestContentIsKept(t *testing.T) {
	t.Parallel()
	c := startChain(t, map[string]string{"OTELCOL_TC_CONTENT": "keep"})
	now := instant()
	collectortest.PostTraces(t, c.agent, tracesOf(t, "assistants", now))
	requireSame(t, itemsOf(t, tracesOf(t, "assistants", now)), itemsOf(t, withoutAdded(tracesOf(t, "assistants", now), c.traces(t, tracesOf(t, "assistants", now)))))
}

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
