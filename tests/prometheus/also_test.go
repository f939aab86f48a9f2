// SPDX-License-Identifier: Apache-2.0

package prometheus

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

const shopPage = `# TYPE shop_sold_total counter
shop_sold_total{till="1"} 41
shop_sold_total{till="2"} 1
# TYPE shop_returned_total counter
shop_returned_total{till="1"} 5
# TYPE shop_waiting gauge
shop_waiting 3
# TYPE shop_wait_ms histogram
shop_wait_ms_bucket{le="500"} 3
shop_wait_ms_bucket{le="+Inf"} 4
shop_wait_ms_sum 2500
shop_wait_ms_count 4
`

// TestTwoNamesOnOnePage checks that a scraped metric comes out under its new name, and under the names of copies,
// with equal values.
func TestTwoNamesOnOnePage(t *testing.T) {
	t.Parallel()
	pack := collectortest.WriteFile(t, "shop.yaml", `
system: shop
owns: {metrics: ["shop_*"]}
metrics:
  prefixes: {shop_: tc_shop_}
  rename: {shop_returned_total: tc_shop_back_total}
  also:
    - {match: '^shop_sold_total$', name: retail.orders, set: {kind: sold}, attributes: {till: retail.till.name}}
    - {match: '^shop_returned_total$', name: retail.orders, set: {kind: returned}, attributes: {till: retail.till.name}}
    - {match: '^shop_wait_ms$', name: retail.wait.duration, unit: ms, convert: s}
`)
	shop := collectortest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		_, _ = w.Write([]byte(shopPage))
	}))
	c := collectortest.Start(t, collectortest.Options{
		Configs: []string{"builtin:dev", fmt.Sprintf(`yaml:{
			extensions: {conventions: {packs: [%q, builtin]}},
			connectors: {conformance: {interval: 1s}},
			service: {extensions: [health_check, wire_limits, correlation_index, conventions]}}`, pack)},
		Env: map[string]string{"OTELCOL_TC_SCRAPE_TARGETS": fmt.Sprintf("[%q]", shop)},
	})
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		got := collectortest.Sum(c.Scrape(t)["retail_wait_duration_seconds"], nil)
		return got == 4, fmt.Sprintf("retail_wait_duration_seconds on the page: %v of 4", got)
	})
	page := c.Scrape(t)
	for name, want := range map[string]float64{
		"tc_shop_sold_total": 42, "tc_shop_back_total": 5, "shop_returned_total": 0,
		"tc_shop_waiting": 3, "tc_shop_wait_ms": 4,
	} {
		assert.Equal(t, want, collectortest.Sum(page[name], nil), name)
	}
	assert.Equal(t, 41.0, collectortest.Sum(page["retail_orders_total"], map[string]string{"kind": "sold", "retail_till_name": "1"}))
	assert.Equal(t, 5.0, collectortest.Sum(page["retail_orders_total"], map[string]string{"kind": "returned", "retail_till_name": "1"}))
	assert.Equal(t, 47.0, collectortest.Sum(page["retail_orders_total"], nil))
	wait := page["retail_wait_duration_seconds"].GetMetric()[0].GetHistogram()
	assert.Equal(t, 2.5, wait.GetSampleSum())
	assert.Equal(t, 0.5, wait.GetBucket()[0].GetUpperBound())
	assert.EqualValues(t, 3, wait.GetBucket()[0].GetCumulativeCount())

	assert.Positive(t, collectortest.SelfCount(t, c, "naming_copies", map[string]string{"system": "shop"}))
	assert.Zero(t, collectortest.SelfCount(t, c, "naming_violations", nil))
}
