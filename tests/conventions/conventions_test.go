// SPDX-License-Identifier: Apache-2.0

package conventions

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/items"
	"github.com/otelcol-tc/otelcol-tc/tests/payload"
)

// TestOnePlaceForAllComponents checks that all six components take packs, prefix and modes from the
// extension. Of two services in the same requests, one is enforced, and the other stays as it came.
func TestOnePlaceForAllComponents(t *testing.T) {
	files := t.TempDir()
	log := filepath.Join(files, "shop.log")
	c := collectortest.Start(t, collectortest.Options{
		Configs: []string{"builtin:dev", overlay(t, fmt.Sprintf(`
extensions:
  conventions:
    packs: [%s, builtin]
    prefix: acme_
    services: {shop-old*: {mode: audit}}
connectors:
  conformance: {interval: 1s}
service:
  extensions: %s
`, pack(t), extensions))},
		Env: map[string]string{"OTELCOL_TC_LOG_FILES": fmt.Sprintf("[%q]", log)},
	})
	s := shop(t, time.Now().Add(-time.Minute))
	s.Post(t, c)
	collectortest.AppendLines(t, log, "<INFO> 2026-11-23 10:00:00,000 opened")

	t.Run("traces", func(t *testing.T) {
		traces := collectortest.AwaitSpans(t, c, 4)
		assert.Equal(t, items.Of(t, items.TracesOf(s.Traces, named("shop-old"))), items.Of(t, items.TracesOf(c.Traces(t), named("shop-old"))))
		spans := items.TracesOf(traces, named("shop-new")).ResourceSpans().At(0).ScopeSpans().At(0).Spans()
		assert.Equal(t, "Shop/PlaceOrder", spans.At(0).Name())
		require.Equal(t, 1, spans.At(1).Links().Len())
		assert.Equal(t, spans.At(0).SpanID(), spans.At(1).Links().At(0).SpanID())
	})
	t.Run("metrics", func(t *testing.T) {
		var metrics pmetric.Metrics
		collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
			metrics = items.MetricsOf(c.Metrics(t), named("shop-new"))
			return metrics.MetricCount() > 0, "no metrics yet"
		})
		assert.Equal(t, items.Of(t, items.MetricsOf(s.Metrics, named("shop-old"))), items.Of(t, items.MetricsOf(c.Metrics(t), named("shop-old"))))
		m := metrics.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0)
		assert.Equal(t, "acme_shop_orders", m.Name())
		require.Equal(t, 1, m.Sum().DataPoints().Len())
		assert.Equal(t, int64(3), m.Sum().DataPoints().At(0).IntValue())
	})
	t.Run("logs", func(t *testing.T) {
		logs := collectortest.AwaitRecords(t, c, 6)
		assert.Equal(t, items.Of(t, items.LogsOf(s.Logs, named("shop-old"))), items.Of(t, items.LogsOf(c.LogRecords(t), named("shop-old"))))
		logs = items.LogsOf(logs, named("shop-new"))
		traces := map[string]pcommon.TraceID{}
		for record := range collectortest.Records(logs) {
			traces[record.Body().AsString()] = record.TraceID()
		}
		assert.Equal(t, 2, logs.LogRecordCount(), "the same record comes once")
		assert.Equal(t, pcommon.TraceID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, traces["checkout"])
		assert.Equal(t, pcommon.TraceID{1, 1, 1}, traces["payment p-1 accepted"])
	})
	t.Run("text logs", func(t *testing.T) {
		collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
			n := collectortest.SelfCount(t, c, "runtime_log_records", map[string]string{"format": "shop"})
			return n == 1, fmt.Sprint(n, " records of the pack's format")
		})
	})
	t.Run("conformance", func(t *testing.T) {
		scores := map[string]string{}
		collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
			for _, service := range collectortest.ConformanceReport(t, c).Services {
				for _, score := range service.Scores {
					scores[service.Name+" "+score.Signal] = fmt.Sprintf("%d of %d", score.Conformant, score.Checked)
				}
			}
			return scores["shop-new logs"] == "2 of 2" && scores["shop-new metrics"] != "" && scores["shop-new traces"] != "", fmt.Sprint(scores)
		})
		assert.Equal(t, "1 of 1", scores["shop-new metrics"], "the own prefix is known")
		assert.Equal(t, "2 of 2", scores["shop-new traces"])
		assert.Equal(t, "0 of 1", scores["shop-old metrics"])
		assert.Equal(t, "0 of 2", scores["shop-old traces"])
	})
	t.Run("counts of the audited service", func(t *testing.T) {
		for name, want := range map[string]float64{
			"naming_changes":             2 * 3, // the metric and two spans of each service
			"cardinality_folded_points":  2 * 2,
			"span_link_matched":          2 * 1,
			"log_correlation_duplicates": 2 * 1,
			"log_correlation_enriched":   2 * 2,
		} {
			assert.Equal(t, want, collectortest.SelfCount(t, c, name, nil), name)
		}
	})
}

// TestTwoExtensionsStopTheStart checks that there are no two extensions, and none whose settings would be ignored.
func TestTwoExtensionsStopTheStart(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		result := collectortest.Run(t, "--config", "builtin:dev", "--config", overlay(t, text))
		assert.NotZero(t, result.Code)
		for _, part := range want {
			assert.Contains(t, result.Stderr, part)
		}
	}
	conventions := "extensions: {conventions: {packs: [tuft, builtin], prefix: acme_}, conventions/other: }\nservice: {extensions: " + extensions + "}\n"
	f(strings.ReplaceAll(conventions, "conventions]", "conventions, conventions/other]"),
		"service::extensions: must have at most one conventions extension (got conventions, conventions/other)")
	// A list that replaces that of the profile.
	f("extensions: {conventions: {mode: audit}}\nservice: {extensions: [health_check, wire_limits, correlation_index]}",
		"extensions::conventions: must be in service::extensions")
}

// TestValidateShowsAllErrorsOfAPack checks that validate reports every fault of a pack that only the
// extension names.
func TestValidateShowsAllErrorsOfAPack(t *testing.T) {
	text, err := os.ReadFile(pack(t))
	require.NoError(t, err)
	broken := strings.NewReplacer("prefixes:", "prefix:", "components:", "component:", "id: true", "id: maybe").Replace(string(text))
	file := collectortest.WriteFile(t, "broken.yaml", broken)
	result := collectortest.Run(t, "validate", "--config", "builtin:dev", "--config", overlay(t, fmt.Sprintf(`
extensions: {conventions: {packs: [%s, builtin], mode: try}}
service: {extensions: %s}
`, file, extensions)))
	assert.NotZero(t, result.Code)
	for _, want := range []string{"extensions::conventions: mode: must be enforce or audit", file + ":6: ", file + ":8: ", file + ":10: "} {
		assert.Contains(t, result.Stderr, want)
	}
}

// named reports whether a resource is of a service.
func named(service string) func(pcommon.Resource) bool {
	return func(resource pcommon.Resource) bool { return collectortest.ServiceName(resource) == service }
}

// pack returns the path of the pack of the shop, which no component knows by itself.
func pack(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("testdata/shop.yaml")
	require.NoError(t, err)
	return path
}

// extensions are those of builtin:dev, with the conventions.
const extensions = "[health_check, wire_limits, correlation_index, conventions]"

// overlay writes a configuration that is merged over builtin:dev.
func overlay(t *testing.T, text string) string {
	t.Helper()
	return collectortest.WriteFile(t, "overlay.yaml", text)
}

// shop reads telemetry that two services send at a time: a client's span and a server's of another trace for the same
// order, two points that differ by an id, a record that comes twice and states its ids in attributes, and one that the
// index knows the trace of.
func shop(t *testing.T, at time.Time) payload.Sent {
	t.Helper()
	return payload.Read(t, "testdata/shop", at)
}
