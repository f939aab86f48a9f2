// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/judge"
)

// Names are judged as they come.
const judging = `yaml:{
  connectors: {conformance: {interval: %INTERVAL%}},
  service: {pipelines: {traces: {processors: []}, metrics: {processors: []}, logs: {processors: []}}}}`

// What is found often within an interval is one record with a count; what is found
// again later is another, with its own.
func TestFindingsArrive(t *testing.T) {
	t.Parallel()
	f := func(name, interval string, repeats, least, most int) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", strings.ReplaceAll(judging, "%INTERVAL%", interval)}})
			const hostile = "<script>alert(1)</script>"
			for range repeats {
				collectortest.PostMetrics(t, c, payload.Gauge("shop", "shop.orders"))
			}
			collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
				return interval == "1h" || c.LogRecordsIn(t, "findings.json").LogRecordCount() > 0, "no findings"
			})
			for range repeats {
				collectortest.PostMetrics(t, c, payload.Gauge("shop", "shop.orders"))
				collectortest.PostMetrics(t, c, payload.Gauge("shop", hostile))
			}
			require.Zero(t, c.Stop(t).Code, "what was found since is sent at the end")

			findings := map[string][]plog.LogRecord{}
			for record := range collectortest.Records(c.LogRecordsIn(t, "findings.json")) {
				original := judge.Text(record.Attributes(), "weaver.finding.context.original")
				findings[original] = append(findings[original], record)
			}
			require.Len(t, findings, 2)
			orders := findings["shop.orders"]
			assert.GreaterOrEqual(t, len(orders), least)
			assert.LessOrEqual(t, len(orders), most)
			var total int64
			for _, record := range orders {
				count, ok := record.Attributes().Get("weaver.finding.context.count")
				require.True(t, ok)
				total += count.Int()
				assert.Equal(t, "weaver.live_check.finding", record.EventName())
				assert.Equal(t, plog.SeverityNumberInfo, record.SeverityNumber(), "no pack owns it")
				for key, want := range map[string]string{
					"weaver.finding.id":                              "metric_general",
					"weaver.finding.level":                           "information",
					"weaver.finding.signal.type":                     "metric",
					"weaver.finding.signal.name":                     "shop.orders",
					"weaver.finding.resource.attribute.service.name": "shop",
					"weaver.finding.context.suggestion":              "tc_shop_orders",
					"weaver.finding.context.action":                  "Nothing has to be done: no pack owns the name, so it passes. To make it conformant, adopt the service.",
					"weaver.finding.context.yaml":                    "metrics:\n  rename:\n    \"shop.orders\": tc_shop_orders\n",
				} {
					assert.Equal(t, want, judge.Text(record.Attributes(), key), key)
				}
			}
			assert.EqualValues(t, 2*repeats, total, "each is counted once")
			assert.Equal(t, hostile, judge.Text(findings[hostile][0].Attributes(), "weaver.finding.signal.name"))
		})
	}
	f("within an interval", "1h", 20, 1, 1)
	f("over intervals", "1s", 20, 2, 60)
}

// A collector that nobody has configured scrapes nothing, so its page has no finding.
func TestFreshStartHasNoFinding(t *testing.T) {
	t.Parallel()
	for _, configs := range [][]string{{"builtin:dev"}, collectortest.WithFragments("agent-host", "agent-page")} {
		t.Run(strings.Join(configs, " "), func(t *testing.T) {
			t.Parallel()
			c := collectortest.Start(t, collectortest.Options{Configs: append(configs, "yaml:{connectors: {conformance: {interval: 1s}}}")})
			var r *conformance.Report
			collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
				r = collectortest.ConformanceReport(t, c)
				return r.At.Sub(r.Since) >= 3*time.Second, "no third report"
			})
			assert.Empty(t, r.Targets)
			assert.Empty(t, r.Findings)
		})
	}
}

// A scrape target that does not answer is a finding that says what to do. A run that is shorter than the
// window has traces that wait, and judges them when it ends.
func TestShortRunWithAFailingTarget(t *testing.T) {
	t.Parallel()
	address := collectortest.FreeAddress(t)
	c := collectortest.Start(t, collectortest.Options{
		Configs: []string{"builtin:dev", "yaml:{connectors: {conformance: {interval: 1s}}}"},
		Env:     map[string]string{"OTELCOL_TC_SCRAPE_TARGETS": fmt.Sprintf("[%q]", address)},
	})
	payload.PostJob(t, c, "Shop/Sell", "one")
	var r *conformance.Report
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		r = collectortest.ConformanceReport(t, c)
		return len(r.Targets) > 0 && r.Traces.Waiting > 0, "no target, or no trace that waits"
	})
	assert.Zero(t, r.Traces.Judged)
	assert.False(t, r.Targets[0].Up)
	assert.Equal(t, "runtimes", r.Targets[0].Service)
	assert.Equal(t, address, r.Targets[0].Instance)
	found := false
	for _, f := range r.Findings {
		assert.NotEmpty(t, f.Action, f.Rule)
		assert.Contains(t, f.Docs, "https://github.com/otelcol-tc/otelcol-tc/tree/main/", f.Rule)
		found = found || f.Rule == "scrape_failed" && f.Original == address
	}
	assert.True(t, found, "no finding about the target: %+v", r.Findings)

	require.Zero(t, c.Stop(t).Code)
	last := map[string]float64{}
	for _, rm := range c.MetricsIn(t, "scores.json").ResourceMetrics().All() {
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			switch m.Type() {
			case pmetric.MetricTypeSum:
				last[m.Name()] = float64(m.Sum().DataPoints().At(0).IntValue())
			case pmetric.MetricTypeGauge:
				last[m.Name()] = m.Gauge().DataPoints().At(0).DoubleValue()
			}
		}
	}
	assert.EqualValues(t, 1, last["tc_conformance_judged_traces"])
	assert.Zero(t, last["tc_conformance_waiting_traces"])
	assert.EqualValues(t, 1, last["tc_conformance_scrape_targets"])
}
