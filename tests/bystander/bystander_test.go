// SPDX-License-Identifier: Apache-2.0

package bystander

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/items"
)

// What no pack owns comes out of an agent and a gateway as it came in, while everything that packs own is
// repaired in the same pipelines. Without settings, because that is what a first start runs.
func TestBystandersPass(t *testing.T) {
	t.Parallel()
	c := startChain(t, nil)
	senders := sent(t, "senders")
	senders.Post(t, c.agent)
	c.sendOwned(t)
	t.Run("Prometheus page", func(t *testing.T) { c.awaitShown(t) })
	c.endPages(t)

	t.Run("traces", func(t *testing.T) {
		items.RequireSame(t, items.Of(t, senders.Traces), items.Of(t, withoutAdded(senders.Traces, c.traces(t, senders.Traces))))
	})
	t.Run("logs", func(t *testing.T) {
		items.RequireSame(t, items.Of(t, senders.Logs), items.Of(t, c.logs(t)))
	})
	t.Run("metrics", func(t *testing.T) {
		items.RequireSame(t, items.Of(t, senders.Metrics), items.Of(t, c.metrics(t)))
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
	senders := sent(t, "senders")
	collectortest.PostTraces(t, c.agent, senders.Traces)
	c.sendOwned(t)
	c.awaitShown(t)
	c.endPages(t)
	items.RequireSame(t, items.Of(t, senders.Traces), items.Of(t, withoutAdded(senders.Traces, c.traces(t, senders.Traces))))
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
			assistants := sent(t, "assistants")
			collectortest.PostTraces(t, c.agent, assistants.Traces)
			collectortest.PostMetrics(t, c.agent, assistants.Metrics)
			got := c.traces(t, assistants.Traces)
			for _, item := range items.Of(t, got) {
				assert.NotContains(t, item, secret)
			}
			got = withoutContent(withoutAdded(assistants.Traces, got))
			items.RequireSame(t, items.Of(t, withoutContent(assistants.Traces)), items.Of(t, got))
			items.RequireSame(t, items.Of(t, assistants.Metrics), items.Of(t, c.metrics(t)))
		})
	}
}

// With content: keep even the content passes.
func TestContentIsKept(t *testing.T) {
	t.Parallel()
	c := startChain(t, map[string]string{"OTELCOL_TC_CONTENT": "keep"})
	assistants := sent(t, "assistants")
	collectortest.PostTraces(t, c.agent, assistants.Traces)
	items.RequireSame(t, items.Of(t, assistants.Traces), items.Of(t, withoutAdded(assistants.Traces, c.traces(t, assistants.Traces))))
}

// Telemetry that resembles that of a pack's system comes out of builtin:dev byte for byte, without links.
func TestStrangersAreNotOwned(t *testing.T) {
	t.Parallel()
	page := servePages(t, "testdata/strangers")[0]
	c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", stock, fmt.Sprintf(`yaml:{receivers: {prometheus: {config: {
  scrape_configs: [{job_name: shop, scrape_interval: 1s, static_configs: [{targets: [%q]}]}]}}}}`, page.target)}})
	strangers := sent(t, "strangers")
	strangers.Post(t, c)
	spans := items.Of(t, strangers.Traces)
	items.RequireSame(t, spans, items.Of(t, collectortest.AwaitSpans(t, c, len(spans))))
	records := items.Of(t, strangers.Logs)
	items.RequireSame(t, records, items.Of(t, collectortest.AwaitRecords(t, c, len(records))))

	var want, got []string
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		want, got = page.points(t, c.MetricsIn(t, "stock.json")), page.points(t, c.Metrics(t))
		return len(want) > 0 && len(got) > 0, "the page has not come"
	})
	page.down.Store(true)
	collectortest.Eventually(t, 2*collectortest.ArrivalTimeout, func() (bool, string) {
		want, got = page.points(t, c.MetricsIn(t, "stock.json")), page.points(t, c.Metrics(t))
		return page.final() && len(got) >= len(want), fmt.Sprintf("%d of %d points", len(got), len(want))
	})
	items.RequireSame(t, want, got)
	items.RequireSame(t, items.Of(t, strangers.Metrics), items.Of(t, withoutMade(items.MetricsOf(c.Metrics(t), func(resource pcommon.Resource) bool {
		return collectortest.ServiceName(resource) == "acme-global-store-web" || collectortest.ServiceName(resource) == "carpets-tuft"
	}))))
}
