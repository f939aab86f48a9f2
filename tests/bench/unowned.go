// SPDX-License-Identifier: Apache-2.0

package main

// What web services, their databases and exporters send, whose names no pack knows.

var nobodysMetrics = []source{
	{
		service: "checkout", namespace: "shop", scope: "io.opentelemetry.micrometer-1.5",
		items: []item{
			{name: "hikaricp.connections.active"}, {name: "hikaricp.connections.idle"},
			{name: "cart.closed", counter: true}, {name: "cartCheckoutTime", unit: "ms"},
			{name: "kafka.consumer.records_lag_max"}, {name: "queueSize", unit: "1"},
			{name: "processedSpans", unit: "1", counter: true}, {name: "orders-created", unit: "{orders}", counter: true},
		},
		attributes: []attribute{
			{"pool", "HikariPool-1"}, {"Customer-Class", "gold"}, {"client-id", "consumer-shop-1"}, {"region", "eu"}, {"tenant", "acme"},
			{"host", "web-1"}, {"zone", "a"}, {"status", "ok"}, {"shard", 3}, {"cached", true},
		},
	},
	{
		service: "node-exporter", scope: "github.com/open-telemetry/opentelemetry-collector-contrib/receiver/prometheusreceiver",
		items: []item{
			{name: "node_cpu_seconds_total", counter: true}, {name: "node_load1"}, {name: "node_memory_MemAvailable_bytes"},
			{name: "node_network_receive_bytes_total", counter: true}, {name: "DCGM_FI_DEV_GPU_UTIL"}, {name: "DCGM_FI_DEV_FB_USED"},
			{name: "kube_pod_status_phase"}, {name: "container_memory_working_set_bytes"},
		},
		attributes: []attribute{
			{"cpu", "0"}, {"mode", "idle"}, {"device", "nvidia0"}, {"modelName", "NVIDIA H100 80GB HBM3"}, {"pod", "vllm-qwen3-7d9f8b6c5-x2x7q"},
			{"namespace", "serving"}, {"container", "vllm"}, {"gpu", "0"}, {"Hostname", "gpu-node-7"}, {"pci_bus_id", "00000000:1B:00.0"},
		},
	},
}

var nobodysSpans = []source{
	{
		service: "checkout", namespace: "shop", scope: "io.opentelemetry.tomcat-10.0",
		items: []item{{name: "GET /api/orders/{id}"}, {name: "OrderController.show"}, {name: "SELECT shop.orders"}, {name: "orders publish"}},
		attributes: []attribute{
			{"http.request.method", "GET"}, {"http.route", "/api/orders/{id}"}, {"url.path", "/api/orders/8412"}, {"http.response.status_code", 200}, {"order.ref", anID},
			{"server.address", "10.0.0.7"}, {"server.port", 8080}, {"network.protocol.version", "1.1"}, {"user_agent.original", "curl/8.9.1"}, {"thread.name", "http-nio-8080-exec-1"},
		},
	},
	{
		service: "web-frontend", scope: "@opentelemetry/instrumentation-express",
		items: []item{{name: "middleware - query"}, {name: "request handler - /users/:id"}, {name: "pg.query:SELECT shop"}, {name: "tcp.connect"}},
		attributes: []attribute{
			{"express.name", "query"}, {"express.type", "middleware"}, {"http.route", "/users/:id"}, {"session.ref", anID}, {"db.system", "postgresql"},
			{"net.peer.name", "db"}, {"net.peer.port", 5432}, {"db.name", "shop"}, {"component", "web"}, {"cached", false},
		},
	},
}

var nobodysLogs = []source{
	{
		service: "checkout", namespace: "shop", scope: "io.opentelemetry.logback-appender-1.0",
		items: []item{{name: "order shipped"}, {name: "cart closed after 12 ms"}},
		attributes: []attribute{
			{"thread.name", "http-nio-8080-exec-1"}, {"order.ref", anID}, {"code.function.name", "show"}, {"region", "eu"}, {"tenant", "acme"},
			{"host", "web-1"}, {"zone", "a"}, {"status", "ok"}, {"shard", 3}, {"cached", true},
		},
	},
	{
		service: "inventory", scope: "github.com/acme/inventory",
		items: []item{{name: "reserved"}, {name: "stock is low"}},
		attributes: []attribute{
			{"sku", "AB-12"}, {"request.ref", anID}, {"component", "stock"}, {"event", "reserved"}, {"count", 7},
			{"node", "node-7"}, {"shard", 3}, {"retry", false}, {"warehouse", "north"}, {"status", "ok"},
		},
	},
}
