// SPDX-License-Identifier: Apache-2.0

package bystander

import (
	"testing"

	"github.com/stretchr/testify/assert"

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
