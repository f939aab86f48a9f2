// SPDX-License-Identifier: Apache-2.0

package bystander

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/items"
)

// requireKeptPage requires that the names and labels of a page whose pack keeps names came out, but for the ids that
// the pack names. Metrics without ids came out as they were. Copies under other names are left out.
func (c *chain) requireKeptPage(t *testing.T, page *page) {
	t.Helper()
	kept := keptBy(t, page.name)
	collectortest.Eventually(t, 2*collectortest.ArrivalTimeout, func() (bool, string) {
		want, got := page.metrics(c.agent.MetricsIn(t, "stock.json")), withoutCopies(page.metrics(c.files.Metrics(t)))
		if problem := kept.compare(want, got); problem != "" {
			return false, page.name + ": " + problem
		}
		missing := items.Subtract(c.withoutIDs(t, page))
		return len(missing) == 0, fmt.Sprintf("%s: %d points changed, such as %s", page.name, len(missing), strings.Join(missing[:min(1, len(missing))], ""))
	})
}

// withoutIDs returns the points of metrics that lose no attribute, as a stock pipeline gives them and as they came.
func (c *chain) withoutIDs(t *testing.T, page *page) (want, got []string) {
	t.Helper()
	kept := keptBy(t, page.name)
	return items.Of(t, kept.withoutIDs(page.metrics(c.agent.MetricsIn(t, "stock.json")))),
		items.Of(t, kept.withoutIDs(withoutCopies(page.metrics(c.files.Metrics(t)))))
}

// kept is what a pack says about ids.
type kept struct{ rules []conventions.AttributeRule }

func keptBy(t *testing.T, system string) kept {
	t.Helper()
	packs, err := conventions.Load([]any{system})
	require.NoError(t, err)
	require.Equal(t, conventions.Names("keep"), packs[0].Names, system)
	return kept{packs[0].Attributes}
}

// isID reports whether points of a metric lose an attribute.
func (k kept) isID(metric, key string) bool {
	return slices.ContainsFunc(k.rules, func(rule conventions.AttributeRule) bool {
		return rule.Key == key && rule.IDOf(metric)
	})
}

// compare requires that each name came out with all labels that are no ids, and without new ones.
func (k kept) compare(want, got pmetric.Metrics) string {
	before, after := keysOf(want), keysOf(got)
	for name, keys := range before {
		if _, known := after[name]; !known {
			return name + " is missing"
		}
		for _, key := range keys {
			if !k.isID(name, key) && !slices.Contains(after[name], key) {
				return fmt.Sprintf("%s has lost the label %s", name, key)
			}
		}
	}
	for name, keys := range after {
		for _, key := range keys {
			if !slices.Contains(before[name], key) {
				return fmt.Sprintf("%s has got the label %s", name, key)
			}
		}
	}
	return ""
}

// withoutIDs returns the metrics whose points lose nothing, without what the collector notes about their copies.
func (k kept) withoutIDs(metrics pmetric.Metrics) pmetric.Metrics {
	keys := keysOf(metrics)
	removeMetrics(metrics, func(metric pmetric.Metric) bool {
		metric.Metadata().RemoveIf(func(key string, _ pcommon.Value) bool { return strings.HasPrefix(key, "tc.") })
		return slices.ContainsFunc(keys[metric.Name()], func(key string) bool { return k.isID(metric.Name(), key) })
	})
	return metrics
}

// withoutCopies removes the copies that packs make under other names.
func withoutCopies(metrics pmetric.Metrics) pmetric.Metrics {
	removeMetrics(metrics, func(metric pmetric.Metric) bool {
		_, copied := metric.Metadata().Get("tc.copy_of")
		return copied
	})
	return metrics
}

func removeMetrics(metrics pmetric.Metrics, removed func(pmetric.Metric) bool) {
	for _, resource := range metrics.ResourceMetrics().All() {
		for _, scope := range resource.ScopeMetrics().All() {
			scope.Metrics().RemoveIf(removed)
		}
	}
}

// keysOf returns the sorted keys of all points of each name.
func keysOf(metrics pmetric.Metrics) map[string][]string {
	keys := map[string][]string{}
	for metric := range collectortest.AllMetrics(metrics) {
		known := append([]string{}, keys[metric.Name()]...)
		for attributes := range datapoints.Attributes(metric) {
			for key := range attributes.All() {
				known = append(known, key)
			}
		}
		slices.Sort(known)
		keys[metric.Name()] = slices.Compact(known)
	}
	return keys
}
