// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/places"
)

// analyseReport decides the metrics of a report by files.
func analyseReport(t *testing.T, report *conformance.Report, files ...string) (u *Usage, byName map[string]*Metric) {
	t.Helper()
	r := NewReadings()
	for _, text := range files {
		r.Add(places.NewSource("dashboard.json", text))
	}
	require.Empty(t, r.Faults())
	series, err := FromReport(report)
	require.NoError(t, err)
	u, byName = Analyse(r, series), map[string]*Metric{}
	for _, m := range u.Metrics {
		byName[m.Name] = m
	}
	return u, byName
}

// A Prometheus that keeps UTF-8 has the names and the keys of the collector.
func TestNamesInQuotes(t *testing.T) {
	key := []conformance.MetricAttribute{{Key: "http.route"}, {Key: "pod.name"}}
	metric := func(name, kind, unit string) conformance.Metric {
		return conformance.Metric{Name: name, Type: kind, Unit: unit, Attributes: key}
	}
	u, got := analyseReport(t, &conformance.Report{Metrics: []conformance.Metric{
		metric("queue.size", conformance.TypeUpDownCounter, ""), metric("requests.done", conformance.TypeCounter, ""),
		metric("request.time", conformance.TypeHistogram, "s"), metric("in.text", conformance.TypeGauge, ""),
	}}, `{"panels": [{"targets": [
		{"expr": "sum({\"queue.size\", \"http.route\"=\"/\"})"},
		{"expr": "sum by (\"http.route\") (rate({\"requests.done_total\"}[5m]))"},
		{"expr": "sum(rate({__name__=\"request.time_seconds_count\"}[5m]))"},
		{"expr": "range_median({\"in.text\"})"}
	]}]}`)
	assert.Empty(t, u.Unread)
	assert.Equal(t, map[string]bool{"pod_name": true}, got["queue.size"].Free())
	assert.Equal(t, map[string]bool{"pod_name": true}, got["requests.done"].Free())
	assert.Equal(t, map[string]bool{"http_route": true, "pod_name": true, Bound: true}, got["request.time"].Free())
	assert.Equal(t, "http.route", got["queue.size"].Attributes[0].Key)
	assert.Len(t, got["queue.size"].Attributes, 2)
}

// Of a metric that the report does not describe, the type and the unit are unknown. So nobody may say that it is unread.
func TestMetricsWithoutDescription(t *testing.T) {
	report := &conformance.Report{Explorer: conformance.Explorer{Shared: true, Metrics: []conformance.Cost{{Name: "wait.time"}, {Name: "busy"}}}}
	u, got := analyseReport(t, report, `{"panels": [{"targets": [{"expr": "sum(rate(wait_time_bucket[5m]))"}]}]}`)
	assert.Empty(t, u.Unread)
	assert.Contains(t, got, "wait.time")
}

// A dashboard has no queries of a library panel, so it can read everything until a file has the panel.
func TestLibraryPanels(t *testing.T) {
	report := &conformance.Report{Metrics: []conformance.Metric{{Name: "busy", Type: conformance.TypeGauge}, {Name: "idle", Type: conformance.TypeGauge}}}
	dashboard := `{"panels": [{"title": "GPUs", "libraryPanel": {"uid": "u1", "name": "GPUs"}}]}`
	u, _ := analyseReport(t, report, dashboard)
	assert.Empty(t, u.Unread)
	require.Len(t, u.Undecided, 1)
	assert.Equal(t, "panel GPUs", u.Undecided[0].Title)

	u, _ = analyseReport(t, report, dashboard, `{"result": {"uid": "u1", "model": {"targets": [{"expr": "sum(busy)"}]}}}`)
	assert.Equal(t, []Unread{{Name: "idle"}}, u.Unread)
	assert.Empty(t, u.Undecided)
}

// Variables read labels, not values: of a metric that only they read, everything else is free, and a gauge is merged as
// its pack says.
func TestVariables(t *testing.T) {
	key := []conformance.MetricAttribute{{Key: "model"}, {Key: "pod"}}
	_, got := analyseReport(t, &conformance.Report{Metrics: []conformance.Metric{
		{Name: "busy", Type: conformance.TypeGauge, Attributes: key}, {Name: "wait", Type: conformance.TypeHistogram, Attributes: key},
	}}, `{"templating": {"list": [
		{"name": "m", "type": "query", "query": "label_values(busy, model)"}, {"name": "n", "type": "query", "query": "label_values(wait_bucket, model)"}
	]}}`)
	assert.Equal(t, map[string]bool{"pod": true}, got["busy"].Free())
	assert.Empty(t, got["busy"].Function)
	assert.Equal(t, map[string]bool{"pod": true, Bound: true}, got["wait"].Free())
}

// A variable that lists the values of a label, of all metrics or of those with a pattern, needs what it matches too.
func TestVariablesWithoutNames(t *testing.T) {
	for _, query := range []string{`label_values({pod=\"1\", le=\"1\"}, __name__)`, `label_values({__name__=~\"wa.*\", pod=\"1\", le=\"1\"}, __name__)`} {
		_, got := analyseReport(t, &conformance.Report{Metrics: []conformance.Metric{
			{Name: "wait", Type: conformance.TypeHistogram, Attributes: []conformance.MetricAttribute{{Key: "model"}, {Key: "pod"}}},
		}}, `{"panels": [{"targets": [{"expr": "sum(rate(wait_count[5m]))"}]}],
			"templating": {"list": [{"name": "m", "type": "query", "query": "`+query+`"}]}}`)
		assert.Equal(t, map[string]bool{"model": true}, got["wait"].Free(), query)
	}
}

// Buckets are needed if a query has another one than the last.
func TestBuckets(t *testing.T) {
	f := func(free bool, kind, expr string) {
		t.Helper()
		dashboard, err := json.Marshal(map[string]any{"panels": []any{map[string]any{"targets": []any{
			map[string]any{"expr": "sum(rate(wait_count[5m]))"}, map[string]any{"expr": expr},
		}}}})
		require.NoError(t, err)
		_, got := analyseReport(t, &conformance.Report{Metrics: []conformance.Metric{{Name: "wait", Type: kind}}}, string(dashboard))
		assert.Equal(t, free, got["wait"].Free()[Bound], expr)
	}
	for _, expr := range []string{
		`avg(wait_sum)`, `wait_count > 5`, `sum(rate(wait_bucket{le="+Inf"}[5m]))`, `histogram_avg(sum(rate(wait[5m])))`, `histogram_count(wait)`,
		`histogram_quantile(0.9, other_bucket)`,
	} {
		f(true, conformance.TypeHistogram, expr)
	}
	for _, expr := range []string{
		`histogram_quantile(0.9, sum by (le) (rate(wait_bucket[5m])))`, `wait_bucket{le="1"}`, `wait_bucket{le!="+Inf"}`, `wait_bucket{$f}`,
		`count(wait_bucket)`, `wait`, `histogram_quantile(0.9, wait)`, `histogram_fraction(0, 1, rate(wait[5m]))`, `histogram_sum(irate(wait[5m]))`,
		`{__name__=~"wait.*"}`, `{pod="1"}`, `wait_bucket{le$op"+Inf"}`,
	} {
		f(false, conformance.TypeHistogram, expr)
	}
	f(false, conformance.TypeExponentialHistogram, `wait_sum`)
}

// Of a summary whose quantiles nobody reads, counts and sums add up.
func TestSummaries(t *testing.T) {
	f := func(free bool, expr string) {
		t.Helper()
		_, got := analyseReport(t, &conformance.Report{Metrics: []conformance.Metric{
			{Name: "wait", Unit: "s", Type: conformance.TypeSummary, Attributes: []conformance.MetricAttribute{{Key: "pod"}}},
		}}, `{"panels": [{"targets": [{"expr": "`+expr+`"}]}]}`)
		assert.Equal(t, free, got["wait"].Free()["pod"], expr)
	}
	f(true, `sum(rate(wait_seconds_sum[5m])) / sum(rate(wait_seconds_count[5m]))`)
	f(false, `sum(rate(wait_seconds_sum[5m])) > bool on () max(wait_seconds)`)
	f(false, `rate(wait_seconds_sum[5m])`)
}
