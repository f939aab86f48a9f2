// SPDX-License-Identifier: Apache-2.0

package tcgen

import (
	"maps"
	"slices"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
)

// ScrapedNames maps each original name in the metrics file to the name it came out with.
func ScrapedNames(t *testing.T, c *collectortest.Collector) map[string]string {
	t.Helper()
	names := map[string]string{}
	for metric := range collectortest.AllMetrics(c.Metrics(t)) {
		names[OriginalMetricName(metric)] = metric.Name()
	}
	return names
}

// MissingFamilies returns the families that did not come out.
func MissingFamilies(families []string, got map[string]string) []string {
	return judge.MissingFamilies(families, func(original string) bool { return got[original] != "" })
}

// Scrapes returns the metrics of a target by scrape, in order.
func Scrapes(metrics pmetric.Metrics, target string) []pmetric.Metrics {
	byTime := map[pcommon.Timestamp]pmetric.Metrics{}
	collectortest.EachScoped(metrics, func(resource pcommon.Resource, _ pcommon.InstrumentationScope, metric pmetric.Metric) {
		instance, _ := resource.Attributes().Get("service.instance.id")
		all := PointsOf(metric)
		if instance.AsString() != target || len(all) == 0 {
			return
		}
		at := all[0].Timestamp() // a batch is a scrape
		if _, ok := byTime[at]; !ok {
			byTime[at] = pmetric.NewMetrics()
			byTime[at].ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty()
		}
		metric.CopyTo(byTime[at].ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().AppendEmpty())
	})
	var inOrder []pmetric.Metrics
	for _, at := range slices.Sorted(maps.Keys(byTime)) {
		inOrder = append(inOrder, byTime[at])
	}
	return inOrder
}
