// SPDX-License-Identifier: Apache-2.0

package bystander

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/items"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// stock is a pipeline without processors beside those of the agent: what the same scrapes give without us.
const stock = `yaml:{
  exporters: {file/stock: {path: "${env:OTELCOL_TC_DATA}/stock.json", flush_interval: 200ms}},
  service: {pipelines: {metrics/stock: {receivers: [prometheus], exporters: [file/stock]}}}}`

// chain is an agent that scrapes the pages and sends to a gateway, which writes files.
type chain struct {
	agent, gateway *collectortest.Collector
	files          *collectortest.Collector // what the gateway has written
	pages          []*page                  // of systems that no pack owns
	kept           []*page                  // of systems whose packs keep their names
	systems        []*tcgen.Imitated        // those that packs own
}

func startChain(t *testing.T, env map[string]string) *chain {
	t.Helper()
	c := &chain{pages: servePages(t, "testdata"), kept: servePages(t, "testdata/kept")}
	start := time.Now().Add(-time.Second)
	var targets []string
	for _, page := range c.allPages() {
		targets = append(targets, page.target)
	}
	for _, name := range scenario.Names() {
		system := tcgen.Imitate(t, name, start, start, 10*time.Millisecond)
		c.systems = append(c.systems, system)
		if target := system.Target(); target != "" {
			targets = append(targets, target)
		}
	}
	list, err := json.Marshal(targets)
	require.NoError(t, err)
	c.gateway, c.files = collectortest.FileGateway(t, with(env), "builtin:fragments/gateway-prometheus-page")
	c.agent = collectortest.Start(t, collectortest.Options{
		Configs: append(collectortest.WithFragments("agent-host"), stock),
		Env: with(env,
			"OTELCOL_TC_SCRAPE_TARGETS", string(list),
			"OTELCOL_TC_GATEWAYS", fmt.Sprintf("[%q]", c.gateway.GRPC),
			"OTELCOL_TC_HOST_INTERVAL", "1h"),
	})
	return c
}

// allPages are those that no pack owns, and those whose packs keep names.
func (c *chain) allPages() []*page { return slices.Concat(c.pages, c.kept) }

// with returns a copy of variables with more, each a name and a value.
func with(env map[string]string, more ...string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, env)
	for pair := range slices.Chunk(more, 2) {
		all[pair[0]] = pair[1]
	}
	return all
}

// traces waits until as many spans of the senders have come as were sent, and returns those. Spans whose rules have a
// later stage come last.
func (c *chain) traces(t *testing.T, sent ptrace.Traces) ptrace.Traces {
	t.Helper()
	return await(t, func() ptrace.Traces { return items.TracesOf(c.files.Traces(t), isSender) }, ptrace.Traces.SpanCount, sent.SpanCount())
}

// metrics waits until data points of the senders have come, and returns those.
func (c *chain) metrics(t *testing.T) pmetric.Metrics {
	t.Helper()
	return await(t, func() pmetric.Metrics { return withoutMade(items.MetricsOf(c.files.Metrics(t), isSender)) }, pmetric.Metrics.DataPointCount, 1)
}

// withoutMade removes the metrics that the gateway makes of spans and logs.
func withoutMade(metrics pmetric.Metrics) pmetric.Metrics {
	for _, resource := range metrics.ResourceMetrics().All() {
		resource.ScopeMetrics().RemoveIf(func(scope pmetric.ScopeMetrics) bool {
			return strings.HasSuffix(scope.Scope().Name(), "/signaltometricsconnector")
		})
	}
	return metrics
}

// logs is metrics for log records.
func (c *chain) logs(t *testing.T) plog.Logs {
	t.Helper()
	return await(t, func() plog.Logs { return items.LogsOf(c.files.LogRecords(t), isSender) }, plog.Logs.LogRecordCount, 1)
}

// await reads telemetry until it has a number of items, and returns it.
func await[D any](t *testing.T, read func() D, count func(D) int, want int) (data D) {
	t.Helper()
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		data = read()
		return count(data) >= want, fmt.Sprintf("%T: %d of %d items have come", data, count(data), want)
	})
	return data
}

// awaitShown waits until each family of the pages is on the gateway's Prometheus page, under its own name.
func (c *chain) awaitShown(t *testing.T) {
	t.Helper()
	collectortest.Eventually(t, 2*collectortest.ArrivalTimeout, func() (bool, string) {
		shown := c.gateway.Scrape(t)
		var missing []string
		for _, page := range c.allPages() {
			for _, name := range page.families() {
				if shown[name] == nil {
					missing = append(missing, name)
				}
			}
		}
		slices.Sort(missing)
		return len(missing) == 0, fmt.Sprintf("%d families are not on the page: %q", len(missing), missing)
	})
}

// endPages ends all pages, and waits until the gateway has got the stale markers of their series.
func (c *chain) endPages(t *testing.T) {
	t.Helper()
	for _, page := range c.allPages() {
		page.down.Store(true)
	}
	collectortest.Eventually(t, 2*collectortest.ArrivalTimeout, func() (bool, string) {
		for _, page := range c.allPages() {
			if !page.final() {
				return false, page.name + " has not been scraped again"
			}
			want, got := c.stockOf(t, page), c.receivedOf(t, page)
			if slices.Contains(c.kept, page) { // points that lose an id become fewer
				want, got = c.withoutIDs(t, page)
			}
			if len(got) < len(want) {
				return false, fmt.Sprintf("%s: %d of %d points", page.name, len(got), len(want))
			}
		}
		return true, ""
	})
}

// requireSamePage compares the points of a page with those of the stock pipeline.
func (c *chain) requireSamePage(t *testing.T, page *page) {
	t.Helper()
	want, got := c.stockOf(t, page), c.receivedOf(t, page)
	items.RequireSame(t, want, got)
	for _, name := range page.families() {
		assert.True(t, slices.ContainsFunc(got, func(item string) bool { return strings.Contains(item, `"name":"`+name) }), "no point of %s", name)
	}
}

func (c *chain) stockOf(t *testing.T, page *page) []string {
	t.Helper()
	return page.points(t, c.agent.MetricsIn(t, "stock.json"))
}

func (c *chain) receivedOf(t *testing.T, page *page) []string {
	t.Helper()
	return page.points(t, c.files.Metrics(t))
}

// points returns the points of the page, without the receiver's own: those come at each scrape, also while the
// page is down.
func (p *page) points(t *testing.T, metrics pmetric.Metrics) []string {
	t.Helper()
	return items.Of(t, p.metrics(metrics))
}

// metrics returns the metrics of the page, without the receiver's own.
func (p *page) metrics(metrics pmetric.Metrics) pmetric.Metrics {
	removeMetrics(metrics, func(metric pmetric.Metric) bool {
		return metric.Name() == "up" || strings.HasPrefix(metric.Name(), "scrape_")
	})
	return items.MetricsOf(metrics, func(resource pcommon.Resource) bool { return ofInstance(resource) == p.target })
}

// isSender reports whether a resource is one of the senders.
func isSender(resource pcommon.Resource) bool {
	return slices.Contains(services, collectortest.ServiceName(resource))
}

// ofInstance returns the value of service.instance.id, which is host:port of a page.
func ofInstance(resource pcommon.Resource) string {
	return judge.Text(resource.Attributes(), "service.instance.id")
}
