package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
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

// explodedSeries is the number of series of the metric that explodes.
const explodedSeries = 6000

// startExplorer starts a gateway that reports soon, with further configurations.
func startExplorer(t *testing.T, configs ...string) *collectortest.Collector {
	t.Helper()
	return collectortest.Start(t, collectortest.Options{Configs: append([]string{
		"builtin:dev", `yaml:{connectors: {conformance: {interval: 1s, price_million_points: 0.5, price_gigabyte: 1, currency: EUR}}}`,
	}, configs...)})
}

// sendExploded sends a counter with an id for each request, on 3 routes.
func sendExploded(t *testing.T, c *collectortest.Collector) {
	t.Helper()
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", newcomer)
	m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName("shop_requests")
	m.SetEmptySum().SetIsMonotonic(true)
	m.Sum().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	for i := range explodedSeries {
		dp := m.Sum().DataPoints().AppendEmpty()
		dp.SetStartTimestamp(payload.Timestamp())
		dp.SetTimestamp(payload.Timestamp())
		dp.SetIntValue(1)
		dp.Attributes().PutStr("route", fmt.Sprint("/", i%3))
		dp.Attributes().PutStr("request", fmt.Sprint("req-", i))
	}
	collectortest.PostMetrics(t, c, md)
}

// explodedCost sends the counter until the report knows which attribute is the reason.
func explodedCost(t *testing.T, c *collectortest.Collector, known func(*conformance.Cost) bool) (cost conformance.Cost, report conformance.Report) {
	t.Helper()
	collectortest.Eventually(t, 30*time.Second, func() (bool, string) {
		sendExploded(t, c)
		status, body := get(t, c, "/api/v1/report")
		require.Equal(t, http.StatusOK, status)
		require.NoError(t, json.Unmarshal(body, &report))
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
// predicted.
func TestPasteFromExplorer(t *testing.T) {
	t.Parallel()
	c := startExplorer(t)
	before, report := explodedCost(t, c, func(m *conformance.Cost) bool { return len(m.Attributes) > 0 && len(m.Attributes[0].Fixes) > 0 })
	culprit := before.Attributes[0]
	assert.Equal(t, newcomer, before.Service)
	assert.Equal(t, "request", culprit.Key)
	assert.Equal(t, explodedSeries, before.In.Series)
	assert.Equal(t, before.Limit+1, before.Out.Series)
	assert.Equal(t, explodedSeries-before.Limit, before.Folded["limit"])
	assert.InEpsilon(t, 3, culprit.Without, 0.1)
	assert.Equal(t, explodedSeries-before.Limit-1, report.Explorer.Saved.Series)
	assert.Positive(t, report.Explorer.Saved.MoneyPerDay)
	assert.Equal(t, "EUR", report.Explorer.Saved.Currency)

	// It is a violation that says what to paste, and a metric for alerts.
	at := slices.IndexFunc(report.Findings, func(f conformance.Finding) bool { return f.Rule == "folded" })
	require.GreaterOrEqual(t, at, 0)
	folded := report.Findings[at]
	assert.Equal(t, newcomer, folded.Service)
	assert.Equal(t, "shop_requests", folded.Original)
	assert.Equal(t, "without the attribute request", folded.Suggestion)
	collectortest.Eventually(t, 10*time.Second, func() (bool, string) {
		series := c.Scrape(t)["tc_conformance_folded_series"]
		return series != nil && collectortest.Sum(series, map[string]string{"service": newcomer, "metric": "shop_requests", "attribute": "request"}) ==
			float64(explodedSeries-before.Limit), "no metric"
	})
	require.Zero(t, c.Stop(t).Code)

	require.Len(t, culprit.Fixes, 3)
	for _, fix := range culprit.Fixes {
		file := filepath.Join(t.TempDir(), "paste.yaml")
		require.NoError(t, os.WriteFile(file, []byte(fix.YAML), 0o600))
		paste := file
		if fix.Kind == conformance.FixPack {
			paste = fmt.Sprintf("yaml:{extensions: {conventions: {packs: [%q, builtin]}}}", file)
		}
		c := startExplorer(t, paste)
		after, _ := explodedCost(t, c, func(m *conformance.Cost) bool { return m.In.Series == explodedSeries })
		t.Logf("%s: predicted %d, found %d", fix.Kind, fix.Series, after.Out.Series)
		assert.InEpsilon(t, fix.Series, after.Out.Series, 0.1, fix.Kind)
		require.Zero(t, c.Stop(t).Code)
	}
}

// A person asks the page in a browser which attribute blew up the bill, copies what to paste with the third click at
// the latest, and gets the series that the page promised.
func TestPasteFromExplorerInBrowser(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	c := startExplorer(t)
	explodedCost(t, c, func(m *conformance.Cost) bool { return len(m.Attributes) > 0 && len(m.Attributes[0].Fixes) > 0 })
	(&stage{address: "http://" + c.Page + "/"}).open(t, b, "")
	var person clicks
	person.click(t, b, `nav a[href="#series"]`)
	person.click(t, b, firstCost+" > summary")
	b.await(t, `document.querySelectorAll("#series .fix pre").length > 0`)
	person.click(t, b, "#series .fix .copy")
	b.await(t, "copied.length === 1")
	assert.LessOrEqual(t, person.n, 3)
	copied := evaluate[string](t, b, "copied[0]")
	promised := b.texts(t, "#series .fix .paste .prediction")[0]
	assert.Equal(t, "2,001 → 3 series", promised)
	if dir := os.Getenv(pictureDirectory); dir != "" {
		evaluate[chromedp.Void](t, b, `(scrollTo({ top: document.getElementById("series").getBoundingClientRect().top + scrollY - document.querySelector("header").offsetHeight - 16, behavior: "instant" }), {})`)
		b.picture(t, filepath.Join(dir, "page-series.png"))
	}
	require.Zero(t, c.Stop(t).Code)

	file := filepath.Join(t.TempDir(), "paste.yaml")
	require.NoError(t, os.WriteFile(file, []byte(copied), 0o600))
	after, _ := explodedCost(t, startExplorer(t, file), func(m *conformance.Cost) bool { return m.In.Series == explodedSeries })
	assert.Equal(t, 3, after.Out.Series)
}
