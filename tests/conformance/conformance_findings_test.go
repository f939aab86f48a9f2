// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
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
				original := collectortest.LogText(record, "weaver.finding.context.original")
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
					assert.Equal(t, want, collectortest.LogText(record, key), key)
				}
			}
			assert.EqualValues(t, 2*repeats, total, "each is counted once")
			assert.Equal(t, hostile, collectortest.LogText(findings[hostile][0], "weaver.finding.signal.name"))
		})
	}
	f("within an interval", "1h", 20, 1, 1)
	f("over intervals", "1s", 20, 2, 60)
}
