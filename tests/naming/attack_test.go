// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// profilesToFiles are the profiles that name telemetry, whose traces and metrics go to files
// in the data directory. The gateway has all metrics on its page as well.
func profilesToFiles() map[string][]string {
	const files = `exporters: {file/traces: {path: "${env:OTELCOL_TC_DATA}/traces.json", flush_interval: 100ms},
  file/metrics: {path: "${env:OTELCOL_TC_DATA}/metrics.json", flush_interval: 100ms}}`
	return map[string][]string{
		"agent": append(collectortest.WithFragments("agent-host"), `yaml:{`+files+`,
  service: {pipelines: {traces/gateways: {exporters: [file/traces]}, metrics/gateways: {exporters: [file/metrics]}}}}`),
		"gateway": append(collectortest.WithFragments("gateway-prometheus-page"), `yaml:{`+files+`,
  service: {pipelines: {traces/backend: {exporters: [file/traces]}, metrics/backend: {exporters: [file/metrics]}}}}`),
	}
}

// protocol sends requests to one collector by one protocol.
type protocol struct {
	traces  func(*testing.T, ptrace.Traces) error
	metrics func(*testing.T, pmetric.Metrics) error
}

// protocols are the protocols of OTLP.
func protocols(t *testing.T, c *collectortest.Collector) map[string]protocol {
	t.Helper()
	connection, err := grpc.NewClient(c.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { connection.Close() })
	posted := func(t *testing.T, path string, body []byte, err error) error {
		t.Helper()
		require.NoError(t, err)
		if status := collectortest.Post(t, c, path, body, ""); status != http.StatusOK {
			return fmt.Errorf("%s answers %d", path, status)
		}
		return nil
	}
	return map[string]protocol{
		"HTTP": {
			traces: func(t *testing.T, td ptrace.Traces) error {
				body, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
				return posted(t, "/v1/traces", body, err)
			},
			metrics: func(t *testing.T, md pmetric.Metrics) error {
				body, err := pmetricotlp.NewExportRequestFromMetrics(md).MarshalProto()
				return posted(t, "/v1/metrics", body, err)
			},
		},
		"gRPC": {
			traces: func(t *testing.T, td ptrace.Traces) error {
				_, err := ptraceotlp.NewGRPCClient(connection).Export(t.Context(), ptraceotlp.NewExportRequestFromTraces(td))
				return err
			},
			metrics: func(t *testing.T, md pmetric.Metrics) error {
				_, err := pmetricotlp.NewGRPCClient(connection).Export(t.Context(), pmetricotlp.NewExportRequestFromMetrics(md))
				return err
			},
		},
	}
}

// byProfileAndProtocol runs a test against each profile, by each protocol.
func byProfileAndProtocol(t *testing.T, test func(t *testing.T, c *collectortest.Collector, send protocol)) {
	t.Helper()
	for profile, configs := range profilesToFiles() {
		for _, name := range []string{"HTTP", "gRPC"} {
			t.Run(profile+"/"+name, func(t *testing.T) {
				c := collectortest.Start(t, collectortest.Options{Configs: configs})
				test(t, c, protocols(t, c)[name])
				assert.Equal(t, 0, c.Stop(t).Code)
			})
		}
	}
}

// TestPairsOfMetricsWithoutTemporality: metrics of one name and scope, of every pair of types,
// are taken, and leave the collector running.
func TestPairsOfMetricsWithoutTemporality(t *testing.T) {
	t.Parallel()
	fill := []func(pmetric.Metric){
		func(pmetric.Metric) {},
		func(m pmetric.Metric) { m.SetEmptyGauge().DataPoints().AppendEmpty() },
		func(m pmetric.Metric) { m.SetEmptySum().DataPoints().AppendEmpty() },
		func(m pmetric.Metric) { m.SetEmptyHistogram().DataPoints().AppendEmpty() },
		func(m pmetric.Metric) { m.SetEmptyExponentialHistogram().DataPoints().AppendEmpty() },
		func(m pmetric.Metric) { m.SetEmptySummary().DataPoints().AppendEmpty() },
		func(m pmetric.Metric) { m.SetEmptySum() },
	}
	byProfileAndProtocol(t, func(t *testing.T, c *collectortest.Collector, send protocol) {
		for i, one := range fill {
			for j, other := range fill {
				md := pmetric.NewMetrics()
				rm := md.ResourceMetrics().AppendEmpty()
				rm.Resource().Attributes().PutStr("service.name", fmt.Sprintf("pair-%d-%d", i, j))
				metrics := rm.ScopeMetrics().AppendEmpty().Metrics()
				for _, fill := range []func(pmetric.Metric){one, other} {
					m := metrics.AppendEmpty()
					m.SetName("tc_pair")
					fill(m)
				}
				require.NoError(t, send.metrics(t, md), "%d beside %d", i, j)
			}
		}
		require.NoError(t, send.metrics(t, pointOf("after", "tc_good")))
		awaitMetric(t, c, "tc_good")
	})
}

// pointOf is a request of one gauge with one point.
func pointOf(service, name string) pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", service)
	m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName(name)
	point := m.SetEmptyGauge().DataPoints().AppendEmpty()
	point.SetTimestamp(pcommon.NewTimestampFromTime(time.Now()))
	point.SetIntValue(1)
	return md
}

func awaitMetric(t *testing.T, c *collectortest.Collector, name string) {
	t.Helper()
	awaitText(t, c, "metrics.json", `"name":"`+name+`"`)
}

// awaitText waits until a file of the data directory has all the texts.
func awaitText(t *testing.T, c *collectortest.Collector, file string, texts ...string) []byte {
	t.Helper()
	var content []byte
	collectortest.Eventually(t, 2*collectortest.ArrivalTimeout, func() (bool, string) {
		content, _ = os.ReadFile(filepath.Join(c.DataDir, file))
		for _, text := range texts {
			if !bytes.Contains(content, []byte(text)) {
				return false, text + " is not in " + file
			}
		}
		return true, ""
	})
	return content
}

// TestLongNamesStaySmall: metrics whose name, or whose attribute's key, is almost as long as a
// request can be leave a page that can be read, and do not keep a clean client out.
func TestLongNamesStaySmall(t *testing.T) {
	t.Parallel()
	const requests = 10
	byProfileAndProtocol(t, func(t *testing.T, c *collectortest.Collector, send protocol) {
		long := strings.Repeat("a.Long", 3_900_000/6)
		ctx, stop := context.WithCancel(t.Context())
		var clean sync.WaitGroup
		defer clean.Wait()
		defer stop()
		clean.Go(func() {
			for ctx.Err() == nil {
				assert.NoError(t, send.metrics(t, pointOf("clean", "tc_clean")))
				time.Sleep(50 * time.Millisecond)
			}
		})
		for i := range requests {
			end := strings.Repeat("x", i)
			require.NoError(t, send.metrics(t, pointOf("attacker", long+end)))
			withKey := pointOf("attacker", "tc_key")
			withKey.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).
				Gauge().DataPoints().At(0).Attributes().PutStr(long+end, "value")
			require.NoError(t, send.metrics(t, withKey))
		}
		stop()
		clean.Wait()
		require.NoError(t, send.metrics(t, pointOf("clean", "tc_last")))
		content := awaitText(t, c, "metrics.json", `"name":"tc_last"`, `"name":"tc_clean"`, `"name":"a.Longa.Long`)
		assert.Less(t, len(content), 2*collectortest.MiB, "20 points, and what is kept of their names")
		names := map[string]bool{}
		for _, rm := range c.Metrics(t).ResourceMetrics().All() {
			if service, _ := rm.Resource().Attributes().Get("service.name"); service.Str() != "clean" && service.Str() != "attacker" {
				continue // what the gateway says of them
			}
			for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
				names[m.Name()] = true
				assert.LessOrEqual(t, len(m.Name()), 255)
			}
		}
		assert.Len(t, names, requests+3, "long names that differ stay different")
		changes := c.SelfMetrics(t)["otelcol_naming_changes"]
		assert.GreaterOrEqual(t, collectortest.Sum(changes, map[string]string{"rule": "name_length"}), 2.0*requests)
		assert.Less(t, pageSize(t, c), collectortest.MiB)
	})
}

// pageSize returns the size of the Prometheus page, or 0 for a profile without one.
func pageSize(t *testing.T, c *collectortest.Collector) int {
	t.Helper()
	response, err := http.Get("http://" + c.Prometheus + "/metrics")
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return len(page)
}

// TestOneServiceLeavesOthersTheirSpanNames: what one service sends more than there is room for
// folds nobody else's names. The services are of a pack, because names of nobody are not folded.
func TestOneServiceLeavesOthersTheirSpanNames(t *testing.T) {
	t.Parallel()
	const names, perRequest = 70_000, 1000
	byProfileAndProtocol(t, func(t *testing.T, c *collectortest.Collector, send protocol) {
		for sent := 0; sent < names; sent += perRequest {
			td := ptrace.NewTraces()
			rs := td.ResourceSpans().AppendEmpty()
			rs.Resource().Attributes().PutStr("service.name", "tuft-flood")
			spans := rs.ScopeSpans().AppendEmpty().Spans()
			for i := range perRequest {
				// Few enough of one component.
				newSpan(spans, fmt.Sprintf("Flood%d/Operation%d", (sent+i)%100, sent+i))
			}
			require.NoError(t, send.traces(t, td))
		}
		want := map[string]string{
			"Checkout/Pay":                   "Checkout/Pay",
			"Checkout/Refund":                "Checkout/Refund",
			"/shop.v1.PaymentService/Charge": "Payment/Charge",
			"basket.add_item":                "Basket/AddItem",
			"GET /orders/{id}":               "GET /orders/{id}",
		}
		td := ptrace.NewTraces()
		for _, service := range []string{"tuft-quiet", "tuft-silent"} {
			rs := td.ResourceSpans().AppendEmpty()
			rs.Resource().Attributes().PutStr("service.name", service)
			spans := rs.ScopeSpans().AppendEmpty().Spans()
			for name := range want {
				newSpan(spans, name)
			}
		}
		require.NoError(t, send.traces(t, td))
		var texts []string
		for _, name := range want {
			texts = append(texts, `"name":"`+name+`"`)
		}
		content := awaitText(t, c, "traces.json", texts...)
		for _, name := range want {
			assert.Equal(t, 2, bytes.Count(content, []byte(`"name":"`+name+`"`)), name)
		}
		assert.Contains(t, string(content), `"name":"Flood1/Other"`, "what is too much of the flood")
	})
}

func newSpan(spans ptrace.SpanSlice, name string) {
	span := spans.AppendEmpty()
	span.SetName(name)
	span.SetTraceID(pcommon.TraceID{1})
	span.SetSpanID(pcommon.SpanID{1})
}
