// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// usageFiles are a folder of dashboards and a rule that read the counter that explodes.
type usageFiles struct{ dashboards, rule string }

const panelsOfRoutes = `{"panels": [
	{"title": "<img src=x onerror=window.hostile=1>", "targets": [{"expr": "sum by (route) (rate(shop_requests_total[5m]))"}]},
	{"title": "All", "targets": [{"expr": "sum(rate(shop_requests_total[5m]))"}]}]}`

func writeUsage(t *testing.T) usageFiles {
	t.Helper()
	dir := t.TempDir()
	f := usageFiles{filepath.Join(dir, "dashboards"), filepath.Join(dir, "rule.yaml")}
	require.NoError(t, os.Mkdir(f.dashboards, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(f.dashboards, "shop.json"), []byte(panelsOfRoutes), 0o600))
	f.write(t, "{alert: Busy, expr: 'sum by (route) (increase(shop_requests_total[5m])) > 5'}\n")
	return f
}

// write changes the rule.
func (f usageFiles) write(t *testing.T, rule string) {
	t.Helper()
	require.NoError(t, os.WriteFile(f.rule, []byte(rule), 0o600))
}

func (f usageFiles) start(t *testing.T) *collectortest.Collector {
	t.Helper()
	return collectortest.Start(t, collectortest.Options{
		Configs: []string{"builtin:dev", "yaml:{connectors: {conformance: {interval: 1s}}}"},
		Env:     map[string]string{"OTELCOL_TC_USAGE": fmt.Sprintf("[%q, %q]", f.dashboards, filepath.Dir(f.rule)+"/*.yaml")},
	})
}

// usageReport is what the page's API says of readers.
type usageReport struct {
	Files   int
	Refused string
	Metrics []struct {
		Metric     string
		ReadBy     string `json:"read_by"`
		Attributes []struct {
			Key  string
			Free bool
		}
	}
}

// usageOf sends the counter until the page's verdicts fulfil a condition.
func usageOf(t *testing.T, c *collectortest.Collector, is func(*usageReport) bool) (r usageReport) {
	t.Helper()
	collectortest.Eventually(t, time.Minute, func() (bool, string) {
		sendExploded(t, c)
		status, body := get(t, c, "/api/v1/usage")
		require.Equal(t, http.StatusOK, status)
		r = usageReport{}
		require.NoError(t, json.Unmarshal(body, &r))
		return is(&r), fmt.Sprintf("%.1000s", body)
	})
	return r
}

// frees reports whether an attribute of the counter that explodes is free.
func (r *usageReport) frees(key string) bool {
	for _, m := range r.Metrics {
		for _, a := range m.Attributes {
			if m.Metric == "shop_requests" && a.Key == key {
				return a.Free
			}
		}
	}
	return false
}

// The page shows who reads which metric, in the order of what would be saved, and has the YAML of the command. Changed
// files apply; one with a fault does not.
func TestUsageOnPage(t *testing.T) {
	t.Parallel()
	files := writeUsage(t)
	c := files.start(t)
	r := usageOf(t, c, func(r *usageReport) bool { return r.frees("request") })
	assert.Equal(t, 2, r.Files)
	require.Len(t, r.Metrics, 2)
	assert.Equal(t, "shop_requests", r.Metrics[0].Metric)
	assert.Equal(t, "1 alert, 2 panels", r.Metrics[0].ReadBy)
	assert.False(t, r.frees("route"))
	assert.Equal(t, "shop_bounded", r.Metrics[1].Metric)
	assert.Empty(t, r.Metrics[1].ReadBy)

	same := func() {
		t.Helper()
		collectortest.Eventually(t, time.Minute, func() (bool, string) {
			status, page := get(t, c, "/api/v1/usage.yaml")
			command := collectortest.Run(t, "usage", "--series", "http://"+c.Page, "--output", "yaml", files.dashboards, files.rule)
			return status == http.StatusOK && command.Stdout == string(page), fmt.Sprint(string(page), "\n", command)
		})
	}
	same()
	_, page := get(t, c, "/api/v1/usage.yaml")
	assert.Contains(t, string(page), "      - {metric: shop_requests, drop_attributes: [request]}\n")

	files.write(t, "{alert: Busy, expr: 'sum by (request) (increase(shop_requests_total[5m])) > 5'}\n")
	usageOf(t, c, func(r *usageReport) bool { return !r.frees("request") })
	same()

	files.write(t, "{alert: Busy, expr: [\n")
	r = usageOf(t, c, func(r *usageReport) bool { return r.Refused != "" })
	assert.Contains(t, r.Refused, files.rule+": line ")
	assert.False(t, r.frees("request"))
	assert.InDelta(t, 1, collectortest.Sum(c.SelfMetrics(t)["otelcol_conformance_usage_reads"], map[string]string{"outcome": "refused"}), 0)
	files.write(t, "{alert: Busy, expr: 'sum(shop_bounded_total) > 5'}\n")
	r = usageOf(t, c, func(r *usageReport) bool { return r.frees("request") })
	assert.Empty(t, r.Refused)
	same()
	require.Zero(t, c.Stop(t).Code)
}

// A collector does not start with a file of readers that does not exist.
func TestUsageOfMissingFile(t *testing.T) {
	t.Parallel()
	output, err := collectortest.RunBare(t, map[string]string{"OTELCOL_TC_USAGE": "[/nowhere/dashboards]"}, "validate", []string{"builtin:dev"})
	require.Error(t, err)
	assert.Contains(t, output, `connectors::conformance: usage[0]: must exist (got "${env:OTELCOL_TC_USAGE}")`)
}

// A person finds on the page what nobody reads, and copies what to paste.
func TestUsageInBrowser(t *testing.T) {
	t.Parallel()
	b := startBrowser(t)
	files := writeUsage(t)
	c := files.start(t)
	usageOf(t, c, func(r *usageReport) bool { return r.frees("request") })
	for _, find := range scripts(t, "usage.txt") {
		find.play(t, b, "http://"+c.Page+"/")
		checkAxe(t, b, find.name)
	}
	// What a reader needs is not offered.
	files.write(t, "{alert: Busy, expr: 'sum by (request) (increase(shop_requests_total[5m])) > 5'}\n")
	b.await(t, `!document.querySelector("#series .answer")`)
	files.write(t, "[")
	b.await(t, `document.querySelector("#usage .bad")?.innerText.includes("rule.yaml: line ")`)
	assert.Empty(t, b.console())
}
