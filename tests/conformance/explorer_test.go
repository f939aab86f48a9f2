// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

const (
	// explodedSeries is the number of series of the metric that explodes.
	explodedSeries = 6000
	// boundedSeries is the number of series of another metric, and boundedLimit its limit in withOverride.
	boundedSeries = 10
	boundedLimit  = 5
	withOverride  = "yaml:{processors: {cardinality: {overrides: [{metric: shop_bounded, limit: 5}]}}}"
)

// startExplorer starts a gateway that reports soon, with further configurations.
func startExplorer(t *testing.T, configs ...string) *collectortest.Collector {
	t.Helper()
	return collectortest.Start(t, collectortest.Options{Configs: append([]string{
		"builtin:dev", `yaml:{connectors: {conformance: {interval: 1s, price_million_points: 0.5, price_gigabyte: 1, currency: EUR}}}`,
	}, configs...)})
}

// sendExploded sends a counter with an id for each request, on 3 routes, and another one with few series.
func sendExploded(t *testing.T, c *collectortest.Collector) {
	t.Helper()
	md := pmetric.NewMetrics()
	for name, series := range map[string]int{"shop_requests": explodedSeries, "shop_bounded": boundedSeries} {
		payload.AddCounter(md, newcomer, name, payload.Timestamp(), series, 1, func(i int) map[string]any {
			return map[string]any{"route": fmt.Sprint("/", i%3), "request": fmt.Sprint("req-", i)}
		})
	}
	collectortest.PostMetrics(t, c, md)
}

// explodedCost sends the counter until the report knows which attribute is the reason.
func explodedCost(t *testing.T, c *collectortest.Collector, known func(*conformance.Cost) bool) (cost conformance.Cost, report *conformance.Report) {
	t.Helper()
	collectortest.Eventually(t, time.Minute, func() (bool, string) {
		sendExploded(t, c)
		report = collectortest.ConformanceReport(t, c)
		for _, m := range report.Explorer.Metrics {
			if m.Name == "shop_requests" && known(&m) {
				cost = m
				return true, ""
			}
		}
		return false, fmt.Sprintf("%d metrics", len(report.Explorer.Metrics))
	})
	return cost, report
}

// A metric explodes. The report names the attribute and what to paste; pasting it changes the series to what was
// predicted, and keeps the override of another metric.
func TestPasteFromExplorer(t *testing.T) {
	t.Parallel()
	c := startExplorer(t, withOverride)
	before, report := explodedCost(t, c, func(m *conformance.Cost) bool { return len(m.Attributes) > 0 && len(m.Attributes[0].Fixes) > 0 })
	culprit := before.Attributes[0]
	assert.Equal(t, newcomer, before.Service)
	assert.Equal(t, "request", culprit.Key)
	assert.Equal(t, &conformance.Culprit{Keys: []string{"request"}, Left: culprit.Without}, before.Culprit)
	assert.Equal(t, explodedSeries, before.In.Series)
	assert.Equal(t, before.Limit+1, before.Out.Series)
	assert.Equal(t, explodedSeries-before.Limit, before.Folded["limit"])
	assert.InEpsilon(t, 3, culprit.Without, 0.1)
	assert.Equal(t, explodedSeries-before.Limit-1+boundedSeries-boundedLimit-1, report.Explorer.Saved.Series)
	assert.Positive(t, report.Explorer.Saved.MoneyPerDay)
	assert.Equal(t, "EUR", report.Explorer.Saved.Currency)

	// It is a violation that says what to paste, and a metric for alerts.
	folded := findingOf(t, report, "folded")
	assert.Equal(t, newcomer, folded.Service)
	assert.Equal(t, "without the attribute request", folded.Suggestion)
	assert.Equal(t, culprit.Fixes[0].YAML, folded.Paste)
	collectortest.Eventually(t, time.Minute, func() (bool, string) {
		series := c.Scrape(t)["tc_conformance_folded_series"]
		return series != nil && collectortest.Sum(series, map[string]string{"service": newcomer, "metric": "shop_requests", "attribute": "request"}) ==
			float64(explodedSeries-before.Limit), "no metric"
	})
	require.Zero(t, c.Stop(t).Code)

	require.Len(t, culprit.Fixes, 3)
	pastes := append(slices.Clone(culprit.Fixes),
		conformance.Fix{Kind: "warning", YAML: warnedOverride(t, c), Series: culprit.Without}) // the first one, at 80 % of the limit
	for _, fix := range pastes {
		file := collectortest.WriteFile(t, "paste.yaml", fix.YAML)
		paste := file
		if fix.Kind == conformance.FixPack {
			paste = fmt.Sprintf("yaml:{extensions: {conventions: {packs: [%q, builtin]}}}", file)
		}
		c := startExplorer(t, withOverride, paste)
		after, report := explodedCost(t, c, func(m *conformance.Cost) bool { return m.In.Series == explodedSeries })
		t.Logf("%s: predicted %d, found %d", fix.Kind, fix.Series, after.Out.Series)
		assert.InEpsilon(t, fix.Series, after.Out.Series, 0.1, fix.Kind)
		at := slices.IndexFunc(report.Explorer.Metrics, func(m conformance.Cost) bool { return m.Name == "shop_bounded" })
		require.GreaterOrEqual(t, at, 0, fix.Kind)
		assert.Equal(t, boundedLimit, report.Explorer.Metrics[at].Limit, fix.Kind)
		require.Zero(t, c.Stop(t).Code)
	}
}

// An application gets a series with each call, as LiteLLM's metrics had. It is found long before the limit, with the
// attribute and what to paste, and a page with as many series that stay is not.
func TestGrowingSeries(t *testing.T) {
	t.Parallel()
	c := startExplorer(t)
	var r *conformance.Report
	calls := 0
	collectortest.Eventually(t, time.Minute, func() (bool, string) {
		md := pmetric.NewMetrics()
		calls++
		for name, series := range map[string]int{"shop_requests": calls, "shop_stock": 100} {
			payload.AddCounter(md, newcomer, name, payload.Timestamp(), series, 1, func(i int) map[string]any {
				return map[string]any{"model": "m", "params": fmt.Sprintf(`{"cost": %d}`, i)}
			})
		}
		collectortest.PostMetrics(t, c, md)
		r = collectortest.ConformanceReport(t, c)
		return slices.ContainsFunc(r.Findings, func(f conformance.Finding) bool { return f.Rule == "growing" }), fmt.Sprint(calls, " calls")
	})
	assert.Less(t, calls, 500, "the limit is 2,000")
	growing := findingOf(t, r, "growing")
	assert.Equal(t, newcomer, growing.Service)
	assert.Equal(t, "without the attribute params", growing.Suggestion)
	assert.Contains(t, growing.Paste, "drop_attributes")
	assert.False(t, slices.ContainsFunc(r.Findings, func(f conformance.Finding) bool { return f.Rule == "growing" && f.Original != "shop_requests" }))
}

// findingOf returns the finding about the counter that explodes.
func findingOf(t *testing.T, r *conformance.Report, rule string) conformance.Finding {
	t.Helper()
	at := slices.IndexFunc(r.Findings, func(f conformance.Finding) bool { return f.Rule == rule && f.Original == "shop_requests" })
	require.GreaterOrEqual(t, at, 0, rule)
	return r.Findings[at]
}

// warnedOverride returns the settings that cardinality's first warning about that counter has.
func warnedOverride(t *testing.T, c *collectortest.Collector) string {
	t.Helper()
	for line := range strings.Lines(c.Logs()) {
		var fields struct{ Metric, Override string }
		if at := strings.Index(line, "{"); at >= 0 && json.Unmarshal([]byte(line[at:]), &fields) == nil && fields.Metric == "shop_requests" && fields.Override != "" {
			return fields.Override
		}
	}
	require.Fail(t, "no warning", c.Logs())
	return ""
}

// A person asks the page in a browser which attribute blew up the bill, copies what to paste with the third click at
// the latest, and gets the series that the page promised.
func TestPasteFromExplorerInBrowser(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	c := startExplorer(t)
	explodedCost(t, c, func(m *conformance.Cost) bool { return len(m.Attributes) > 0 && len(m.Attributes[0].Fixes) > 0 })
	for _, script := range scripts(t, "paste.txt") {
		script.play(t, b, "http://"+c.Page+"/")
	}
	copied := evaluate[string](t, b, "copied[0]")
	if dir := os.Getenv(pictureDirectory); dir != "" {
		evaluate[chromedp.Void](t, b, `(scrollTo({ top: document.getElementById("series").getBoundingClientRect().top + scrollY - document.querySelector("header").offsetHeight - 16, behavior: "instant" }), {})`)
		b.picture(t, filepath.Join(dir, "page-series.png"))
	}
	require.Zero(t, c.Stop(t).Code)

	file := collectortest.WriteFile(t, "paste.yaml", copied)
	after, _ := explodedCost(t, startExplorer(t, file), func(m *conformance.Cost) bool { return m.In.Series == explodedSeries })
	assert.Equal(t, 3, after.Out.Series)
}
