// SPDX-License-Identifier: Apache-2.0

package prometheus

import (
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// A batch that is dated a day ahead does not keep later points off the page: gauges go on
// changing, and deltas go on adding up.
func TestPageAfterPointsOfTheFuture(t *testing.T) {
	onPages(t, func(t *testing.T, c *collectortest.Collector, send func(pmetric.Metrics)) {
		last := time.Now().Add(-time.Second)
		sendAt := func(value int64, at time.Time) {
			send(shopMetrics("shop", func(all pmetric.MetricSlice) {
				addGauge(all, "tc_level", "shelf", at, "a").At(0).SetIntValue(value)
				metric := all.AppendEmpty()
				metric.SetName("tc_sold")
				sum := metric.SetEmptySum()
				sum.SetIsMonotonic(true)
				sum.SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
				p := sum.DataPoints().AppendEmpty()
				p.SetStartTimestamp(pcommon.NewTimestampFromTime(last))
				p.SetTimestamp(pcommon.NewTimestampFromTime(at))
				p.SetIntValue(value)
			}))
			last = time.Now()
		}
		only := func(page map[string]*dto.MetricFamily, name string) *dto.Metric {
			if !assert.Len(t, page[name].GetMetric(), 1, name) {
				return nil
			}
			return page[name].GetMetric()[0]
		}
		total := int64(0)
		for value := int64(1); value <= 5; value++ {
			at := time.Now()
			if value == 2 {
				at = at.Add(24 * time.Hour)
			}
			sendAt(value, at)
			total += value
			page := c.Scrape(t)
			assert.InDelta(t, value, only(page, "tc_level").GetGauge().GetValue(), 0)
			assert.InDelta(t, total, only(page, "tc_sold_total").GetCounter().GetValue(), 0)
		}
	})
}
