// SPDX-License-Identifier: Apache-2.0

package bystander

import (
	"fmt"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
)

// stranger returns a service with spans of one scope. Each service is one trace.
func stranger(service, from string, spans ...span) sender {
	return sender{resource: attributes{{"service.name", service}}, scopes: []scope{{name: from, spans: spans}}}
}

// request returns a server's span with a key that packs link by.
func request(name, key string, value any) span {
	return span{name: name, kind: server, attributes: attributes{{key, value}, {"pid", 12}, {"stream", "true"}, {"job_id", "4"}}}
}

// strangers resemble systems that packs own: words in names of spans and services, ordinary attributes, and equal
// ids in two traces.
var strangers = []sender{
	stranger("orders", "shop", span{name: "Send Req batch to bob@example.org", kind: producer}, span{name: "Handle Req queue", kind: server}),
	stranger("orders", "shop", span{name: "Send Req batch to bob@example.org", kind: producer}, span{name: "Handle Req queue", kind: server}),
	stranger("billing", "shop", span{name: "Auth Req: queue", kind: server}),
	stranger("billing", "shop", span{name: "Auth Req: queue", kind: server}),
	stranger("orders", "shop", request("Handle Req queue", "rid", "queue")),
	stranger("billing", "opentelemetry.instrumentation.fastapi", request("GET /queue (Req: queue)", "rid", "queue")),
	stranger("mail", "", request("retry (Req: 12)", "rid", "12")),
	stranger("images", "", span{name: "resize (host:web-1 | pid:77)", kind: internal, attributes: attributes{{"host_id", "web-1"}}}),
	stranger("my-sglang-proxy", "proxy", request("prefill Req 1f0e2a9c", "bootstrap_room", 7)),
	stranger("acme-fastdeploy-jobs", "jobs", request("decode Req 1f0e2a9c", "bootstrap_room", 7)),
	stranger("acme-vllm-web", "web", request("llm_request", "request.id", "a1")),
	stranger("router", "shop.edge", request("Proxy/HttpRequest", "request_id", "a1")),
	stranger("rank", "shop.rank", request("compute_scores", "request_id", "a1")),
	{
		resource: attributes{{"service.name", "acme-global-store-web"}},
		scopes: []scope{{
			name:    "web",
			spans:   []span{{name: "checkout cart 10", kind: server, attributes: attributes{{"error", true}, {"component", "cart"}, {"event", "paid"}, {"net.peer.port", 50312}}}},
			metrics: []metric{{"orders_total", "", "Orders.", counter, attributes{{"node", "a"}, {"view_id", "v"}, {"error", "none"}}}},
			logs:    []record{{body: "RID: queue", traced: true, attributes: attributes{{"error", "none"}, {"node", "a"}, {"rid", "queue"}}}},
		}},
	},
	{
		resource: attributes{{"service.name", "carpets-tuft"}},
		scopes: []scope{{
			name:    "loom",
			spans:   []span{{name: "redis.SET", kind: internal, attributes: attributes{{"operation", "SET"}, {"status", "ok"}, {"model_id", "m1"}}}},
			metrics: []metric{{"futures.created", "tokens", "Futures.", counter, attributes{{"status", "ok"}, {"model_id", "m1"}, {"gpu_id", "0"}}}},
		}},
	},
}

// Telemetry that resembles that of a pack's system comes out of builtin:dev byte for byte, without links.
func TestStrangersAreNotOwned(t *testing.T) {
	t.Parallel()
	page := servePages(t, "testdata/strangers")[0]
	c := collectortest.Start(t, collectortest.Options{Configs: []string{"builtin:dev", stock, fmt.Sprintf(`yaml:{receivers: {prometheus: {config: {
  scrape_configs: [{job_name: shop, scrape_interval: 1s, static_configs: [{targets: [%q]}]}]}}}}`, page.target)}})
	at := instant()
	collectortest.PostTraces(t, c, tracesOf(strangers, at))
	collectortest.PostMetrics(t, c, metricsOf(strangers, at))
	collectortest.PostLogs(t, c, logsOf(strangers, at))
	sent := spanItems(t, tracesOf(strangers, at))
	requireSame(t, sent, spanItems(t, collectortest.AwaitSpans(t, c, len(sent))))
	records := recordItems(t, logsOf(strangers, at))
	requireSame(t, records, recordItems(t, collectortest.AwaitRecords(t, c, len(records))))

	var want, got items
	collectortest.Eventually(t, collectortest.ArrivalTimeout, func() (bool, string) {
		want, got = page.points(t, c.MetricsIn(t, "stock.json")), page.points(t, c.Metrics(t))
		return len(want) > 0 && len(got) > 0, "the page has not come"
	})
	page.down.Store(true)
	collectortest.Eventually(t, 2*collectortest.ArrivalTimeout, func() (bool, string) {
		want, got = page.points(t, c.MetricsIn(t, "stock.json")), page.points(t, c.Metrics(t))
		return page.final() && len(got) >= len(want), fmt.Sprintf("%d of %d points", len(got), len(want))
	})
	requireSame(t, want, got)
	requireSame(t, pointItems(t, metricsOf(strangers, at)), pointItems(t, withoutMade(ofMetrics(c.Metrics(t), func(resource pcommon.Resource) bool {
		return ofService(resource) == "acme-global-store-web" || ofService(resource) == "carpets-tuft"
	}))))
}
