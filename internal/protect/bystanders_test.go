// SPDX-License-Identifier: Apache-2.0

package protect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions/content"
)

// BenchmarkBystanders protects telemetry that has neither content nor a credential: what every user pays for each item.
func BenchmarkBystanders(b *testing.B) {
	const items = 1024
	attributes := func(m pcommon.Map, texts ...string) {
		for i := 0; i < len(texts); i += 2 {
			m.PutStr(texts[i], texts[i+1])
		}
	}
	data := newBatch()
	spans := data.traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
	records := data.logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords()
	metrics := data.metrics.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics()
	for range items {
		span := spans.AppendEmpty()
		span.SetName("GET /v1/orders/{id}")
		attributes(span.Attributes(), "http.request.method", "GET", "url.full", "https://shop.example/v1/orders/17?limit=10&sort=name",
			"url.path", "/v1/orders/17", "server.address", "shop.example", "user_agent.original", "curl/8.5.0")
		record := records.AppendEmpty()
		record.SetSeverityText("INFO")
		record.Body().SetStr("2026-01-02 10:00:00 order 17: paid in 35 ms, 3 items: https://shop.example/v1/orders/17")
		attributes(record.Attributes(), "logger.name", "shop.orders", "thread.name", "main", "code.file.path", "/app/orders.py")
	}
	for range items / 16 {
		sum := metrics.AppendEmpty()
		sum.SetName("http.server.request.duration")
		sum.SetEmptySum()
		sum.SetUnit("s")
		sum.SetDescription("Duration of HTTP server requests.")
		for range 16 {
			attributes(sum.Sum().DataPoints().AppendEmpty().Attributes(), "http.request.method", "GET", "http.route", "/v1/orders/{id}",
				"url.scheme", "https", "network.protocol.version", "1.1")
		}
	}
	w := New(content.New(content.Config{}, nil), func(*content.Rule, content.Action, int64) {})
	for name, protect := range map[string]func(){
		"traces": func() { w.Traces(data.traces) }, "logs": func() { w.Logs(data.logs) }, "metrics": func() { w.Metrics(data.metrics) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				protect()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*items), "ns/item")
		})
	}
}
