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
	at := instant()
	collectortest.PostTraces(t, c.agent, tracesOf(senders, at))
	collectortest.PostMetrics(t, c.agent, metricsOf(senders, at))
	collectortest.PostLogs(t, c.agent, logsOf(senders, at))
	c.sendOwned(t)
	t.Run("Prometheus page", func(t *testing.T) { c.awaitShown(t) })
	c.endPages(t)

	t.Run("traces", func(t *testing.T) {
		requireSame(t, spanItems(t, tracesOf(senders, at)), spanItems(t, withoutAdded(tracesOf(senders, at), c.traces(t, tracesOf(senders, at)))))
	})
	t.Run("logs", func(t *testing.T) {
		requireSame(t, recordItems(t, logsOf(senders, at)), recordItems(t, c.logs(t)))
	})
	t.Run("metrics", func(t *testing.T) {
		requireSame(t, pointItems(t, metricsOf(senders, at)), pointItems(t, c.metrics(t)))
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
	at := instant()
	collectortest.PostTraces(t, c.agent, tracesOf(senders, at))
	c.sendOwned(t)
	c.awaitShown(t)
	c.endPages(t)
	requireSame(t, spanItems(t, tracesOf(senders, at)), spanItems(t, withoutAdded(tracesOf(senders, at), c.traces(t, tracesOf(senders, at)))))
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
			at := instant()
			collectortest.PostTraces(t, c.agent, tracesOf(assistants, at))
			collectortest.PostMetrics(t, c.agent, metricsOf(assistants, at))
			got := c.traces(t, tracesOf(assistants, at))
			for _, item := range spanItems(t, got) {
				assert.NotContains(t, item, secret)
			}
			requireSame(t, spanItems(t, withoutContent(tracesOf(assistants, at))), spanItems(t, withoutContent(withoutAdded(tracesOf(assistants, at), got))))
			requireSame(t, pointItems(t, metricsOf(assistants, at)), pointItems(t, c.metrics(t)))
		})
	}
}

// With content: keep even the content passes.
func TestContentIsKept(t *testing.T) {
	t.Parallel()
	c := startChain(t, map[string]string{"OTELCOL_TC_CONTENT": "keep"})
	at := instant()
	collectortest.PostTraces(t, c.agent, tracesOf(assistants, at))
	requireSame(t, spanItems(t, tracesOf(assistants, at)), spanItems(t, withoutAdded(tracesOf(assistants, at), c.traces(t, tracesOf(assistants, at)))))
}
