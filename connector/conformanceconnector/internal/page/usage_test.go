// SPDX-License-Identifier: Apache-2.0

package page

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/readers"
	"github.com/otelcol-tc/otelcol-tc/connector/conformanceconnector/internal/report"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/places"
	"github.com/otelcol-tc/otelcol-tc/internal/usage"
	"github.com/otelcol-tc/otelcol-tc/tests/testfiles"
)

// file has readers of all metrics of shop but one, and hostile texts.
const file = `
- {record: "model:shop:rate", expr: "sum by (model, user) (rate(shop_calls_total[5m]))"}
- {alert: Many, expr: "sum by (model) (model:shop:rate) > 5"}
- {title: "<script>alert(1)</script>", targets: [{expr: "histogram_quantile(0.9, sum by (le) (rate(shop_wait_seconds_bucket[5m])))"}]}
- {title: Heat, targets: [{expr: "max(shop_heat{room=\"a\"})"}]}
- {title: Elsewhere, targets: [{expr: "sum(rate(cart_items_total[5m]))"}]}
- {title: Any, targets: [{expr: "sum({__name__=~\"shop_h.*\"})"}]}
`

// readings returns the readers of a text.
func readings(text string) *usage.Readings {
	read := usage.NewReadings()
	read.Add(places.NewSource("shop.yaml", text))
	return read
}

// shop returns a report with metrics as the page knows them: by the collector's names, with units.
func shop() *report.Report {
	r := &report.Report{}
	r.Explorer.Shared = true
	add := func(name, kind, unit string, series int, without map[string]int) {
		r.Metrics = append(r.Metrics, conformance.Metric{Service: "s", Name: name, Type: kind, Unit: unit})
		cost := conformance.Cost{Service: "s", Name: name, Processor: "cardinality", Out: conformance.Amount{Series: series}}
		for _, key := range []string{"model", "user.id", "room", "<img src=x>"} {
			if left, ok := without[key]; ok {
				cost.Attributes = append(cost.Attributes, conformance.CostAttribute{Key: key, Without: left})
			}
		}
		r.Explorer.Metrics = append(r.Explorer.Metrics, cost)
	}
	add("shop.calls", conformance.TypeCounter, "{call}", 1000, map[string]int{"model": 900, "user.id": 2})
	add("shop.wait", conformance.TypeHistogram, "s", 50, map[string]int{"user.id": 1})
	add("shop.heat", conformance.TypeGauge, "", 5, map[string]int{"room": 1})
	add("shop.<unread>", conformance.TypeGauge, "", 70, map[string]int{"<img src=x>": 1})
	return r
}

// The page gets who reads which metric in the order of what is saved, and the YAML of the command.
func TestUsage(t *testing.T) {
	last, read := shop(), readings(file)
	since := time.Date(2026, 11, 23, 7, 0, 0, 0, time.UTC)
	h := NewHandler(func() *report.Report { return last }, func() (*usage.Readings, readers.Status) {
		return read, readers.Status{Files: 1, Since: since}
	})
	answer := ask(t, h, http.MethodGet, apiPath+"usage")
	body := answer.Body.Bytes()
	assert.NotContains(t, string(body), "<", "a client that reads it as HTML sees no tag")
	var pretty bytes.Buffer
	require.NoError(t, json.Indent(&pretty, body, "", "  "))
	testfiles.Golden(t, "testdata/usage.json", pretty.String())

	series, err := usage.FromReport(&last.Report)
	require.NoError(t, err)
	var yaml strings.Builder
	usage.Analyse(read, series).WriteYAML(&yaml, "cardinality/mine")
	got := ask(t, h, http.MethodGet, apiPath+"usage.yaml?processor=cardinality/mine")
	assert.Equal(t, yaml.String(), got.Body.String())
	assert.Equal(t, "application/yaml; charset=utf-8", got.Header().Get("Content-Type"))

	// Verdicts are those of the last report and of what was read last.
	last = &report.Report{}
	assert.Contains(t, ask(t, h, http.MethodGet, apiPath+"usage").Body.String(), `"fault":"the report has no series`)
	last, read = shop(), readings("expr: shop_heat")
	assert.NotContains(t, ask(t, h, http.MethodGet, apiPath+"usage").Body.String(), "shop.yaml:2")
}

// Metrics of one name of two services have the names of both in queries, and no type if the services differ.
func TestUsageOfTwoServices(t *testing.T) {
	last, read := shop(), readings("- expr: sum by (user_id) (rate(shop_calls_seconds_total[5m]))\n- expr: sum(rate(shop_calls_total[5m]))\n")
	h := NewHandler(func() *report.Report { return last }, func() (*usage.Readings, readers.Status) { return read, readers.Status{} })
	yaml := func() string { return ask(t, h, http.MethodGet, apiPath+"usage.yaml").Body.String() }
	assert.Contains(t, yaml(), "      - {metric: shop.calls, drop_attributes: [model, user.id]}")
	last = shop()
	last.Metrics = append(last.Metrics, conformance.Metric{Service: "other", Name: "shop.calls", Type: conformance.TypeCounter, Unit: "s"})
	assert.Contains(t, yaml(), "      - {metric: shop.calls, drop_attributes: [model]}")
	last = shop()
	last.Metrics = append(last.Metrics, conformance.Metric{Service: "other", Name: "shop.calls", Type: conformance.TypeGauge})
	assert.Contains(t, yaml(), "      # - {metric: shop.calls, drop_attributes: [model, user.id]}")
}

// Until files are read, and without files, there are no settings.
func TestUsageWithoutReaders(t *testing.T) {
	f := func(read Reading, want string) {
		t.Helper()
		h := NewHandler(shop, read)
		assert.JSONEq(t, want, ask(t, h, http.MethodGet, apiPath+"usage").Body.String())
		assert.Equal(t, http.StatusNotFound, ask(t, h, http.MethodGet, apiPath+"usage.yaml").Code)
	}
	f(nil, "null")
	f(func() (*usage.Readings, readers.Status) { return nil, readers.Status{} }, `{"files": 0, "metrics": [], "undecided": [], "yaml": ""}`)
}
