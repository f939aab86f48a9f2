// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
	"github.com/otelcol-tc/otelcol-tc/tests/usage/pages"
)

const (
	steps    = 7
	interval = time.Minute
)

// queries read what the page has. The dashboard of the test has them.
var queries = []string{
	`sum by (model) (rate(shop_requests_total[3m]))`,
	`sum(increase(shop_requests_total{code="500"}[3m])) / sum(increase(shop_requests_total[3m]))`,
	`histogram_quantile(0.9, sum by (le, model) (rate(shop_latency_seconds_bucket[3m])))`,
	`sum(rate(shop_latency_seconds_sum[3m])) / sum(rate(shop_latency_seconds_count[3m]))`,
	`sum by (model) (rate(shop_wait_seconds_sum[3m])) / sum by (model) (rate(shop_wait_seconds_count[3m]))`,
	`sum(rate(shop_wait_seconds_bucket{le="+Inf"}[3m]))`,
	`max by (node) (max_over_time(shop_temperature_celsius[2m]))`,
	`min(shop_free_bytes)`,
	`avg(shop_load)`,
}

// The settings that usage writes merge series in a collector, and no query has another result.
func TestSettingsKeepResults(t *testing.T) {
	source := servers.StartSteppedPage(t, pages.Read(t, "shop").Text)
	dir := t.TempDir()
	dashboard := filepath.Join(dir, "dashboard.yaml")
	text := "panels:\n"
	for _, query := range queries {
		text += "- targets: [{expr: '" + query + "'}]\n"
	}
	require.NoError(t, os.WriteFile(dashboard, []byte(text), 0o600))

	all := collectortest.Start(t, collectortest.Options{Env: source.Env()})
	settings := filepath.Join(dir, "settings.yaml")
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		result := collectortest.Run(t, "usage", "--series", "http://"+all.Page, "--output", "yaml", dashboard)
		require.NoError(t, os.WriteFile(settings, []byte(result.Stdout), 0o600))
		return strings.Count(result.Stdout, "drop_attributes") == 5, result.Stdout + result.Stderr
	})
	written, err := os.ReadFile(settings)
	require.NoError(t, err)
	for _, want := range []string{
		"{metric: shop_requests_total, drop_attributes: [path, pod]}", "{metric: shop_latency_seconds, drop_attributes: [pod]}",
		"{metric: shop_wait_seconds, drop_attributes: [pod], buckets: drop}",
		"{metric: shop_temperature_celsius, drop_attributes: [sensor], gauge: max}", "{metric: shop_free_bytes, drop_attributes: [node, pool], gauge: min}",
		"# - {metric: shop_unread, keep_attributes: []}",
	} {
		assert.Contains(t, string(written), want)
	}

	merged := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", settings}, Env: source.Env()})
	begin := time.Now().Add(-steps * interval).Truncate(time.Second)
	var before, after strings.Builder
	for i := range steps {
		shown := source.Show(t, i, all, merged)
		for j, samples := range []*strings.Builder{&before, &after} {
			maps.DeleteFunc(shown[j], func(name string, _ *dto.MetricFamily) bool { return !strings.HasPrefix(name, "shop_") })
			servers.WriteSamples(samples, shown[j], begin.Add(time.Duration(i)*interval), nil)
		}
	}
	bound := regexp.MustCompile(`shop_wait_seconds_bucket{[^}]*le="1`)
	assert.True(t, bound.MatchString(before.String()))
	assert.False(t, bound.MatchString(after.String()))
	assert.Less(t, strings.Count(after.String(), "shop_requests_total")*5, strings.Count(before.String(), "shop_requests_total"))
	one := servers.StartPrometheusWith(t, t.TempDir(), before.String()+"# EOF\n")
	other := servers.StartPrometheusWith(t, t.TempDir(), after.String()+"# EOF\n")
	at := begin.Add((steps-1)*interval + time.Second)
	for _, query := range queries {
		want, got := results(t, one, query, at), results(t, other, query, at)
		require.NotEmpty(t, want, query)
		require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)), query)
		for series, value := range want {
			assert.InDelta(t, value, got[series], 1e-9*(1+math.Abs(value)), "%s: %s", query, series)
		}
	}

	proved := collectortest.Run(t, "usage", "--prove", "http://"+one.Address, "--prove-window", "5m", "--prove-limit", "1e-9", dashboard)
	assert.Zero(t, proved.Code, proved.Stdout+proved.Stderr)
	assert.Contains(t, proved.Stdout, ", 0 differ by more than 1e-09.")
	assert.NotContains(t, proved.Stdout, " 0 with a result", proved.Stdout)
}

// results returns the values of a query's result by their labels.
func results(t *testing.T, server *servers.Prometheus, query string, at time.Time) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for _, sample := range servers.Query[model.Vector](t, server, query, at) {
		all[sample.Metric.String()] = float64(sample.Value)
	}
	return all
}

// 1,000 dashboards of 50 panels take less than 20 s and 300 MiB.
func TestManyDashboards(t *testing.T) {
	collectortest.NeedsMeasuring(t)
	dir := t.TempDir()
	for i := range 1000 {
		text, err := json.MarshalIndent(dashboard(i), "", "  ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.json", i)), text, 0o600))
	}
	command := exec.CommandContext(t.Context(), collectortest.Binary(t), "usage", dir)
	begin := time.Now()
	output, err := command.Output()
	took := time.Since(begin)
	require.NoError(t, err)
	assert.Contains(t, string(output), "\n2000 metrics are read, ")
	state := command.ProcessState
	peak := state.SysUsage().(*syscall.Rusage).Maxrss * 1024
	t.Logf("%v, %v of CPU, %d MiB", took, state.UserTime()+state.SystemTime(), peak/collectortest.MiB)
	collectortest.Within(t, took, 20*time.Second)
	assert.Less(t, peak, int64(300*collectortest.MiB))
}

// dashboard returns a dashboard of 50 panels, each with a query of its own.
func dashboard(i int) map[string]any {
	forms := []string{
		`sum by (model) (rate(shop_%[1]d_total{cluster="$cluster",zone!="%[2]d"}[$__rate_interval]))`,
		`histogram_quantile(0.99, sum by (le, pod) (rate(shop_%[1]d_bucket{cluster="$cluster",zone!="%[2]d"}[5m])))`,
		`max by (node) (shop_%[1]d{instance=~"$instance",zone!="%[2]d"})`,
		`sum(rate(shop_%[1]d_total{code=~"5..",zone!="%[2]d"}[5m])) / sum(rate(shop_%[1]d_total[5m]))`,
		`avg by (gpu) (shop_%[1]d) > %[2]d`,
	}
	var panels []any
	for k := range 50 {
		n := 50*i + k
		panels = append(panels, map[string]any{
			"id": k, "title": fmt.Sprint("Panel ", k), "type": "timeseries", "gridPos": map[string]any{"h": 8, "w": 12, "x": 0, "y": 8 * k},
			"datasource":  map[string]any{"type": "prometheus", "uid": "$source"},
			"fieldConfig": map[string]any{"defaults": map[string]any{"unit": "short", "custom": map[string]any{"lineWidth": 1, "fillOpacity": 10}}},
			"targets":     []any{map[string]any{"refId": "A", "legendFormat": "{{model}}", "expr": fmt.Sprintf(forms[n%len(forms)], n%2000, n)}},
		})
	}
	return map[string]any{"title": fmt.Sprint("Dashboard ", i), "panels": panels}
}
