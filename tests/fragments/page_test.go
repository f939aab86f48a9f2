// SPDX-License-Identifier: Apache-2.0

package fragments

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// The page of a gateway has the metrics that the gateway makes. With gateway-prometheus-page it has those of
// services as well.
func TestPrometheusPageOfAGateway(t *testing.T) {
	t.Parallel()
	const settings = "yaml:{connectors: {conformance: {interval: 1s}}, processors: {batch/genai: {timeout: 100ms}}}"
	f := func(configs []string, services bool) {
		t.Run(configs[len(configs)-1], func(t *testing.T) {
			t.Parallel()
			gateway := collectortest.Start(t, collectortest.Options{Configs: append(configs, settings)})
			collectortest.PostMetrics(t, gateway, payload.Gauge("shop", "shop_shelves"))
			collectortest.PostTraces(t, gateway, oneRequest(t, 1))
			collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
				shown := gateway.Scrape(t)
				for _, made := range []string{"tc_conformance_items_total", "gen_ai_client_operation_duration_seconds"} {
					if shown[made] == nil {
						return false, made + " is not on the page"
					}
				}
				return true, ""
			})
			// The metric came before the spans, so it would be on the page by now.
			assert.Equal(t, services, gateway.Scrape(t)["shop_shelves"] != nil)
		})
	}
	f([]string{"builtin:gateway"}, false)
	f(collectortest.WithFragments("gateway-prometheus-page"), true)
}

// A fragment replaces the exporters of a pipeline. It loses none of the profile's.
func TestPagesKeepExporters(t *testing.T) {
	const setting = "service::pipelines::metrics::exporters"
	f := func(profile, fragment, exporter string) {
		t.Helper()
		before, after := listsOf(t, profile)[setting].([]any), listsOf(t, collectortest.WithFragments(fragment)...)[setting].([]any)
		require.NotContains(t, before, any(exporter))
		assert.ElementsMatch(t, append(slices.Clone(before), exporter), after, fmt.Sprint(before))
	}
	f("builtin:gateway", "gateway-prometheus-page", "prometheus_page")
	f("builtin:agent", "agent-page", "conformance")
}

// The page of an agent shows what comes to the agent.
func TestPageOfAnAgent(t *testing.T) {
	t.Parallel()
	agent := collectortest.Start(t, collectortest.Options{
		Configs: append(collectortest.WithFragments("agent-host", "agent-page"), "yaml:{connectors: {conformance: {interval: 1s}, spillover: {patience: 100ms}}}"),
	})
	collectortest.PostMetrics(t, agent, payload.Gauge("shop", "shop_shelves"))
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		explorer := collectortest.ConformanceReport(t, agent).Explorer
		return explorer.Shared && len(explorer.Metrics) == 1 && explorer.Metrics[0].Name == "shop_shelves", fmt.Sprintf("%+v", explorer)
	})
}

// A host's own metrics say by its name which of the agents they come from.
func TestHostMetricsNameTheHost(t *testing.T) {
	t.Parallel()
	name, err := os.Hostname()
	require.NoError(t, err)
	toFile := collectortest.WriteFile(t, "to-file.yaml", `
exporters: {file/host: {path: "${env:OTELCOL_TC_DATA}/host.json", flush_interval: 100ms}}
service: {pipelines: {metrics/host: {exporters: [file/host]}}}
`)
	agent := collectortest.Start(t, collectortest.Options{
		Configs: append(collectortest.WithFragments("agent-host"), toFile),
		Env:     map[string]string{"OTELCOL_TC_HOST_INTERVAL": "1s"},
	})
	var metrics pmetric.Metrics
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		metrics = agent.MetricsIn(t, "host.json")
		return metrics.DataPointCount() > 0, fmt.Sprint("no metrics of the host in ", agent.DataDir)
	})
	assert.Equal(t, map[string]any{
		"service.name": "host", "service.instance.id": name, "host.name": name, "os.type": "linux",
	}, metrics.ResourceMetrics().At(0).Resource().Attributes().AsRaw())
}
