// SPDX-License-Identifier: Apache-2.0

package bystander

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/items"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// renamed is what the four systems' names become: system, kind, original, new.
const renamed = "../tcgen/testdata/tcgen_names.yaml"

// sendOwned sends what the four systems send.
func (c *chain) sendOwned(t *testing.T) {
	t.Helper()
	for _, system := range c.systems {
		system.Send(t, c.agent)
	}
}

// isOwned reports whether a resource is of the four systems.
func (c *chain) isOwned(resource pcommon.Resource) bool {
	return slices.ContainsFunc(c.systems, func(system *tcgen.Imitated) bool {
		return slices.Contains(system.Services(), collectortest.ServiceName(resource)) || system.Target() != "" && system.Target() == ofInstance(resource)
	})
}

// requireRepaired requires that the names of the four systems are those that their packs give them.
func (c *chain) requireRepaired(t *testing.T) {
	t.Helper()
	content, err := os.ReadFile(renamed)
	require.NoError(t, err)
	var want map[string]map[string]map[string]string
	require.NoError(t, yaml.Unmarshal(content, &want))
	// One record for each event: the agent removes the second record of TuFT's two log handlers.
	traces, metrics := c.awaitOwned(t, scenario.Batch.Events)
	spans, names := spanNames(traces), metricNames(metrics)
	tcgen.AssertSpanNames(t, spans)
	tcgen.AssertMetricNames(t, names)
	for system, kinds := range want {
		for _, name := range kinds["spans"] {
			assert.Contains(t, spans, name, system)
		}
		for _, kind := range []string{"metrics", "scraped metrics"} {
			for _, name := range kinds[kind] {
				assert.Contains(t, names, name, "%s: %s", system, kind)
			}
		}
	}
}

// requireUnchanged requires that all that the four systems have sent came out as it was.
func (c *chain) requireUnchanged(t *testing.T) {
	t.Helper()
	c.awaitOwned(t, func(batch scenario.Batch) plog.Logs { return batch.Logs })
	var spans, points, records []string
	for _, system := range c.systems {
		for _, batch := range system.Batches {
			spans = append(spans, items.Of(t, batch.Traces)...)
			points = append(points, items.Of(t, batch.Metrics)...)
			records = append(records, items.Of(t, batch.Logs)...)
		}
	}
	sentOver := func(resource pcommon.Resource) bool {
		return c.isOwned(resource) && collectortest.ServiceName(resource) != "runtimes"
	}
	items.RequireSame(t, spans, items.Of(t, items.TracesOf(c.files.Traces(t), sentOver)))
	items.RequireSame(t, points, items.Of(t, items.MetricsOf(c.files.Metrics(t), sentOver)))
	items.RequireSame(t, records, items.Of(t, items.LogsOf(c.files.LogRecords(t), sentOver)))
}

// awaitOwned waits until all spans and logs of the four systems have come, and a scrape of each.
func (c *chain) awaitOwned(t *testing.T, logsOf func(scenario.Batch) plog.Logs) (ptrace.Traces, pmetric.Metrics) {
	t.Helper()
	var spans, records int
	for _, system := range c.systems {
		for _, batch := range system.Batches {
			spans += batch.Traces.SpanCount()
			records += logsOf(batch).LogRecordCount()
		}
	}
	var traces ptrace.Traces
	var metrics pmetric.Metrics
	collectortest.Eventually(t, 2*collectortest.ArrivalTimeout, func() (bool, string) {
		traces = items.TracesOf(tcgen.WithoutDerived(c.files.Traces(t)), c.isOwned)
		metrics = items.MetricsOf(c.files.Metrics(t), c.isOwned)
		logs := items.LogsOf(c.files.LogRecords(t), c.isOwned)
		if traces.SpanCount() < spans || logs.LogRecordCount() < records {
			return false, fmt.Sprintf("%d of %d spans and %d of %d logs of the four systems have come", traces.SpanCount(), spans, logs.LogRecordCount(), records)
		}
		for _, system := range c.systems {
			if missing := tcgen.MissingFamilies(system.Families(), originals(metrics)); len(missing) > 0 {
				return false, system.Name + ": a scrape is missing"
			}
		}
		return true, ""
	})
	return traces, metrics
}

func spanNames(traces ptrace.Traces) (names []string) {
	for span := range collectortest.SpansOf(traces) {
		names = append(names, span.Name())
	}
	return names
}

func metricNames(metrics pmetric.Metrics) (names []string) {
	for metric := range collectortest.AllMetrics(metrics) {
		names = append(names, metric.Name())
	}
	return names
}

// originals returns the new name of each original.
func originals(metrics pmetric.Metrics) map[string]string {
	names := map[string]string{}
	for metric := range collectortest.AllMetrics(metrics) {
		names[tcgen.OriginalMetricName(metric)] = metric.Name()
	}
	return names
}
