// SPDX-License-Identifier: Apache-2.0

package cardinality

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// route is how requests come to a gateway: at once, or by an agent.
type route struct {
	first, gateway *collectortest.Collector
}

// routes starts a gateway, and another one with an agent before it.
func routes(t *testing.T) map[string]route {
	t.Helper()
	options := collectortest.Options{Configs: collectortest.WithFragments("gateway-prometheus-page")}
	direct, behind := collectortest.Start(t, options), collectortest.Start(t, options)
	agent := collectortest.Start(t, collectortest.Options{
		Configs: collectortest.WithFragments("agent-host"),
		Env:     map[string]string{"OTELCOL_TC_GATEWAYS": fmt.Sprintf("[%q]", behind.GRPC)},
	})
	return map[string]route{"gateway": {direct, direct}, "agent": {agent, behind}}
}

// metricProtocols send a request of metrics and return what was answered.
var metricProtocols = map[string]func(*testing.T, *collectortest.Collector, pmetric.Metrics) error{
	"grpc": func(t *testing.T, c *collectortest.Collector, md pmetric.Metrics) error {
		connection := collectortest.Dial(t, c.GRPC)
		_, err := pmetricotlp.NewGRPCClient(connection).Export(t.Context(), pmetricotlp.NewExportRequestFromMetrics(md))
		return err
	},
	"http": func(t *testing.T, c *collectortest.Collector, md pmetric.Metrics) error {
		body, err := pmetricotlp.NewExportRequestFromMetrics(md).MarshalProto()
		require.NoError(t, err)
		if status := collectortest.Post(t, c, "/v1/metrics", body, ""); status != http.StatusOK {
			return fmt.Errorf("status %d", status)
		}
		return nil
	},
}

// overAllRoutes sends the metrics of a file over each protocol to each profile, together with an honest gauge, and
// requires that the gauge is soon on the gateway's page, and that nobody died. The metrics are pairs of delta points whose
// intervals follow one another, which an exporter that shows cumulative values adds up.
func overAllRoutes(t *testing.T, file string, replaced []string, check func(t *testing.T, w route)) {
	t.Helper()
	for profile, w := range routes(t) {
		for protocol, send := range metricProtocols {
			t.Run(profile+" over "+protocol, func(t *testing.T) {
				honest := "tc_honest_" + profile + "_" + protocol
				md := payload.Read(t, file, time.Now(), replaced...).Metrics
				md.ResourceMetrics().At(0).Resource().Attributes().PutStr("service.name", "hostile-"+protocol)
				m := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().AppendEmpty()
				m.SetName(honest)
				dp := m.SetEmptyGauge().DataPoints().AppendEmpty()
				dp.SetIntValue(42)
				dp.SetTimestamp(pcommon.NewTimestampFromTime(time.Now()))
				require.NoError(t, send(t, w.first, md))

				collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
					require.True(t, w.first.Running() && w.gateway.Running(), "a process died")
					scraped := time.Now()
					page := w.gateway.Scrape(t)
					collectortest.Within(t, time.Since(scraped), 5*time.Second, "the page takes too long")
					return collectortest.Sum(page[honest], nil) == 42, "the honest metric is not on the page"
				})
				check(t, w)
			})
		}
	}
}

// repeated returns a list of JSON without its brackets.
func repeated(number string, times int) string {
	return strings.Join(slices.Repeat([]string{number}, times), ",")
}

// Exponential histograms that end a process that adds them up, take all its memory, or are beyond all numbers, are dropped
// or repaired by whoever gets them first, and counted; all else of their request arrives.
func TestHostileExponentialHistograms(t *testing.T) {
	t.Parallel()
	overAllRoutes(t, "testdata/exponential", []string{`"$zeros"`, repeated("0", 3_000_000)}, func(t *testing.T, w route) {
		t.Helper()
		self := w.first.SelfMetrics(t)
		for _, reason := range []string{"scale", "index", "count"} {
			assert.Positive(t, collectortest.Sum(self["otelcol_cardinality_dropped_points"], map[string]string{"reason": reason}), reason)
		}
		for _, reason := range []string{"resolution", "buckets"} {
			assert.Positive(t, collectortest.Sum(self["otelcol_cardinality_repaired_points"], map[string]string{"reason": reason}), reason)
		}
		assert.Contains(t, w.first.Logs(), "A data point that exporters cannot send was dropped")
		if w.first != w.gateway { // nothing is left for the gateway to do
			self := w.gateway.SelfMetrics(t)
			assert.Zero(t, collectortest.Sum(self["otelcol_cardinality_repaired_points"], nil))
		}
	})
}

// Histograms whose buckets do not fit their bounds end a process that adds up two of them.
func TestHostileExplicitHistograms(t *testing.T) {
	t.Parallel()
	const many = 100_000
	var bounds []string
	for i := range many {
		bounds = append(bounds, strconv.Itoa(i))
	}
	replaced := []string{`"$bounds"`, strings.Join(bounds, ","), `"$counts"`, repeated("1", many+1)}
	overAllRoutes(t, "testdata/explicit", replaced, func(t *testing.T, w route) {
		t.Helper()
		self := w.first.SelfMetrics(t)
		assert.Positive(t, collectortest.Sum(self["otelcol_cardinality_dropped_points"], map[string]string{"reason": "bounds"}))
		assert.Positive(t, collectortest.Sum(self["otelcol_cardinality_repaired_points"], map[string]string{"reason": "buckets"}))
	})
}
