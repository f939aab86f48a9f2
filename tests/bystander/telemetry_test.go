// SPDX-License-Identifier: Apache-2.0

package bystander

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// sender is a process that no pack owns, as its instrumentation describes it.
type sender struct {
	resource attributes
	scopes   []scope
}

type scope struct {
	name, version, schema string
	spans                 []span
	metrics               []metric
	logs                  []record
}

type span struct {
	name       string
	kind       ptrace.SpanKind
	attributes attributes
	events     []event
}

type event struct {
	name       string
	attributes attributes
}

// metric has one data point with the attributes.
type metric struct {
	name, unit, description string
	kind                    kind
	attributes              attributes
}

// kind is what a metric is and how its values add up.
type kind int

const (
	gauge kind = iota
	counter
	deltaCounter
	upDownCounter
	histogram
	exponential
)

type record struct {
	body       any
	event      string
	attributes attributes
	traced     bool // has the ids of the first span
}

// attributes are keys and values, in order.
type attributes [][2]any

func (a attributes) put(m pcommon.Map) {
	for _, pair := range a {
		// The values below are of types that pdata knows.
		_ = m.PutEmpty(pair[0].(string)).FromRaw(pair[1])
	}
}

const (
	semconv    = "https://opentelemetry.io/schemas/1.37.0"
	server     = ptrace.SpanKindServer
	client     = ptrace.SpanKindClient
	internal   = ptrace.SpanKindInternal
	producer   = ptrace.SpanKindProducer
	consumer   = ptrace.SpanKindConsumer
	redisQuery = "HMSET order:8412 customer ?"
)

// senders have the names of spans, metrics and logs of common instrumentation, read in its sources and
// documentation: opentelemetry-java-instrumentation 2.21, opentelemetry-js-contrib (express, pg, net, fs),
// opentelemetry-go-contrib 0.69 (otelhttp, otelgrpc), the postgresql receiver 0.158, the instrumentation of
// OpenAI's client for Python, OpenInference, and the tracing of vLLM.
var senders = []sender{
	{
		resource: attributes{
			{"service.name", "checkout"}, {"service.namespace", "shop"}, {"service.instance.id", "627cc493-f310-47de-96bd-71410b7dec09"},
			{"telemetry.sdk.language", "java"}, {"telemetry.distro.name", "opentelemetry-java-instrumentation"}, {"telemetry.distro.version", "2.21.0"},
			{"process.pid", 1}, {"process.command_args", []any{"java", "-javaagent:/otel.jar", "-jar", "/app.jar"}},
		},
		scopes: []scope{
			{name: "io.opentelemetry.tomcat-10.0", version: "2.21.0-alpha", schema: semconv, spans: []span{
				{name: "GET /api/orders/{id}", kind: server, attributes: attributes{{"http.request.method", "GET"}, {"http.route", "/api/orders/{id}"}, {"url.path", "/api/orders/8412"}, {"http.response.status_code", 200}, {"thread.id", 41}, {"user_agent.original", "curl/8.9.1"}}},
				{name: "POST /api/orders", kind: server, attributes: attributes{{"http.request.method", "POST"}, {"http.route", "/api/orders"}, {"error.type", "java.lang.IllegalStateException"}}, events: []event{
					{"exception", attributes{{"exception.type", "java.lang.IllegalStateException"}, {"exception.message", "order 8412 of bob is closed"}, {"exception.stacktrace", "java.lang.IllegalStateException\n\tat shop.Orders.add(Orders.java:42)"}}},
				}},
				{name: "GET", kind: client, attributes: attributes{{"http.request.method", "GET"}, {"url.full", "https://rates.example/v1/eur?date=2026-11-22"}, {"server.address", "rates.example"}}},
			}, metrics: []metric{
				{"http.server.request.duration", "s", "Duration of HTTP server requests.", histogram, attributes{{"http.request.method", "GET"}, {"http.route", "/api/orders/{id}"}, {"http.response.status_code", 200}}},
			}},
			{name: "io.opentelemetry.spring-webmvc-6.0", version: "2.21.0-alpha", spans: []span{
				{name: "OrderController.show", kind: internal, attributes: attributes{{"code.namespace", "shop.OrderController"}, {"code.function", "show"}}},
				{name: "OrderRepository.findById", kind: internal},
			}},
			{name: "io.opentelemetry.jdbc", version: "2.21.0-alpha", schema: semconv, spans: []span{
				{name: "SELECT shop.orders", kind: client, attributes: attributes{{"db.system.name", "postgresql"}, {"db.namespace", "shop"}, {"db.query.text", "SELECT * FROM orders WHERE id = ?"}, {"db.operation.name", "SELECT"}}},
				{name: "HMSET", kind: client, attributes: attributes{{"db.system", "redis"}, {"db.statement", redisQuery}}},
			}, metrics: []metric{
				{"db.client.connections.usage", "{connections}", "", upDownCounter, attributes{{"pool.name", "HikariPool-1"}, {"state", "used"}}},
			}},
			{name: "io.opentelemetry.kafka-clients-0.11", version: "2.21.0-alpha", spans: []span{
				{name: "orders publish", kind: producer, attributes: attributes{{"messaging.system", "kafka"}, {"messaging.destination.name", "orders"}, {"messaging.kafka.message.offset", 77}}},
				{name: "orders process", kind: consumer, attributes: attributes{{"messaging.system", "kafka"}, {"messaging.destination.name", "orders"}, {"messaging.operation.type", "process"}}},
			}, metrics: []metric{
				{"kafka.consumer.records_lag_max", "", "The maximum lag in terms of number of records for any partition in this window", gauge, attributes{{"client-id", "consumer-shop-1"}}},
			}},
			{name: "io.opentelemetry.sdk.trace", metrics: []metric{
				{"queueSize", "1", "The number of items queued", gauge, attributes{{"processorType", "BatchSpanProcessor"}}},
				{"processedSpans", "1", "The number of spans processed by the BatchSpanProcessor.", counter, attributes{{"dropped", false}, {"processorType", "BatchSpanProcessor"}}},
			}},
			{name: "io.opentelemetry.runtime-telemetry-java17", version: "2.21.0-alpha", metrics: []metric{
				{"jvm.memory.used", "By", "Measure of memory used.", upDownCounter, attributes{{"jvm.memory.pool.name", "G1 Eden Space"}, {"jvm.memory.type", "heap"}}},
				{"jvm.gc.duration", "s", "Duration of JVM garbage collection actions.", histogram, attributes{{"jvm.gc.action", "end of minor GC"}, {"jvm.gc.name", "G1 Young Generation"}}},
			}},
			{name: "io.opentelemetry.micrometer-1.5", metrics: []metric{
				{"hikaricp.connections.active", "connections", "Active connections", gauge, attributes{{"pool", "HikariPool-1"}}},
				{"cartCheckoutTime", "ms", "", exponential, attributes{{"Customer-Class", "gold"}}},
			}},
			{name: "io.opentelemetry.logback-appender-1.0", logs: []record{
				{body: "Order 8412 shipped to bob@example.com in 12 ms", traced: true, attributes: attributes{{"thread.name", "http-nio-8080-exec-1"}, {"thread.id", 41}, {"code.lineno", 42}}},
				{body: attributes{{"msg", "cart closed"}, {"items", []any{1, 2.5, true}}}, event: "cart.closed", traced: true},
			}},
		},
	},
	{
		resource: attributes{{"service.name", "web-frontend"}, {"telemetry.sdk.language", "nodejs"}, {"process.runtime.name", "nodejs"}, {"host.name", "web-1"}},
		scopes: []scope{
			{name: "@opentelemetry/instrumentation-http", version: "0.208.0", spans: []span{
				{name: "GET /users/:id", kind: server, attributes: attributes{{"http.method", "GET"}, {"http.route", "/users/:id"}, {"http.target", "/users/42"}, {"http.status_code", 200}}},
				{name: "GET", kind: server, attributes: attributes{{"http.method", "GET"}, {"http.target", "/favicon.ico"}}},
			}, metrics: []metric{
				{"http.server.duration", "ms", "Measures the duration of inbound HTTP requests.", deltaCounter, attributes{{"http.method", "GET"}}},
			}},
			{name: "@opentelemetry/instrumentation-express", version: "0.57.0", spans: []span{
				{name: "middleware - query", kind: internal, attributes: attributes{{"express.name", "query"}, {"express.type", "middleware"}}},
				{name: "middleware - expressInit", kind: internal, attributes: attributes{{"express.name", "expressInit"}, {"express.type", "middleware"}}},
				{name: "request handler - /users/:id", kind: internal, attributes: attributes{{"express.type", "request_handler"}}},
			}},
			{name: "@opentelemetry/instrumentation-pg", version: "0.61.0", spans: []span{
				{name: "pg.query:SELECT shop", kind: client, attributes: attributes{{"db.system", "postgresql"}, {"db.statement", "SELECT 1"}}},
				{name: "pg-pool.connect", kind: client, attributes: attributes{{"db.system", "postgresql"}}},
			}},
			{name: "@opentelemetry/instrumentation-net", spans: []span{{name: "tcp.connect", kind: internal}, {name: "tls.connect", kind: internal}}},
			{name: "@opentelemetry/instrumentation-fs", spans: []span{{name: "fs readFile", kind: internal}}},
			{name: "@opentelemetry/instrumentation-runtime-node", metrics: []metric{
				{"nodejs.eventloop.delay.p99", "s", "Event loop 99 percentile delay.", gauge, nil},
				{"v8js.memory.heap.used", "By", "Heap Memory size allocated.", upDownCounter, attributes{{"v8js.heap.space.name", "old_space"}}},
			}},
			{name: "shop-meter", metrics: []metric{{"orders-created", "{orders}", "", counter, attributes{{"Tenant", "acme"}}}}},
		},
	},
	{
		resource: attributes{{"service.name", "inventory"}, {"telemetry.sdk.language", "go"}, {"service.version", "v1.4.0"}},
		scopes: []scope{
			{name: "go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp", version: "0.69.0", schema: semconv, spans: []span{
				{name: "HTTP GET", kind: client, attributes: attributes{{"http.request.method", "GET"}, {"url.full", "http://rates/v1"}}},
				{name: "/stock/{sku}", kind: server, attributes: attributes{{"http.request.method", "GET"}, {"url.path", "/stock/AB-12"}}},
				{name: "GET /stock/AB-12", kind: server, attributes: attributes{{"http.request.method", "GET"}, {"url.path", "/stock/AB-12"}}},
			}, metrics: []metric{
				{"http.server.request.body.size", "By", "Size of HTTP server request bodies.", histogram, attributes{{"http.request.method", "GET"}}},
				{"http.client.request.duration", "s", "Duration of HTTP client requests.", histogram, attributes{{"server.address", "rates"}}},
			}},
			{name: "go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc", version: "0.69.0", spans: []span{
				{name: "grpc.health.v1.Health/Check", kind: client, attributes: attributes{{"rpc.system", "grpc"}, {"rpc.service", "grpc.health.v1.Health"}, {"rpc.method", "Check"}}},
				{name: "shop.v1.Stock/Reserve", kind: server, attributes: attributes{{"rpc.system", "grpc"}, {"rpc.service", "shop.v1.Stock"}, {"rpc.method", "Reserve"}}, events: []event{{"message", attributes{{"message.type", "RECEIVED"}, {"message.id", 1}}}}},
			}, metrics: []metric{
				{"rpc.server.duration", "ms", "Measures the duration of inbound RPC.", exponential, attributes{{"rpc.method", "Reserve"}}},
			}},
			{name: "go.opentelemetry.io/contrib/instrumentation/runtime", metrics: []metric{
				{"go.goroutine.count", "{goroutine}", "Count of live goroutines.", upDownCounter, nil},
			}},
			{name: "github.com/acme/inventory", spans: []span{{name: "(*Store).Reserve", kind: internal, attributes: attributes{{"sku", "AB-12"}, {"batch.sizes", []any{1, 2}}}}}, logs: []record{
				{body: "reserved", attributes: attributes{{"sku", "AB-12"}, {"code.lineno", "77"}}},
			}},
		},
	},
	{
		resource: attributes{{"service.name", "postgres"}, {"postgresql.database.name", "shop"}},
		scopes: []scope{{name: "github.com/open-telemetry/opentelemetry-collector-contrib/receiver/postgresqlreceiver", version: "0.158.0", metrics: []metric{
			{"postgresql.backends", "1", "The number of backends.", upDownCounter, nil},
			{"postgresql.commits", "1", "The number of commits.", counter, nil},
			{"postgresql.bgwriter.duration", "ms", "Total time spent writing and syncing files to disk by checkpoints.", counter, attributes{{"type", "write"}}},
			{"postgresql.db_size", "By", "The database disk usage.", upDownCounter, nil},
		}}},
	},
	{
		resource: attributes{{"service.name", "vllm.entrypoints.openai.api_server"}, {"telemetry.sdk.language", "python"}},
		scopes: []scope{{name: "vllm.llm_engine", spans: []span{
			{name: "llm_request", kind: server, attributes: attributes{{"gen_ai.response.model", "Qwen/Qwen3-8B"}, {"gen_ai.request.id", "chatcmpl-4a5b6c7d"}, {"gen_ai.usage.prompt_tokens", 12}, {"gen_ai.usage.completion_tokens", 7}, {"gen_ai.latency.time_in_queue", 0.002}, {"gen_ai.latency.time_to_first_token", 0.041}}},
		}}},
	},
}

// secret is in all content that the profiles protect, and nowhere else.
const secret = "the launch code is 0451"

// protected are the keys of the content of assistants.
var protected = []string{
	"gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions", "gen_ai.tool.call.arguments",
	"input.value", "llm.input_messages.0.message.content", "gen_ai.prompt.0.content",
}

// assistants send content of conversations beside what they measure.
var assistants = []sender{{
	resource: attributes{{"service.name", "assistant"}, {"telemetry.sdk.language", "python"}},
	scopes: []scope{
		{name: "opentelemetry.instrumentation.openai_v2", schema: semconv, spans: []span{
			{name: "chat gpt-4o", kind: client, attributes: attributes{
				{"gen_ai.operation.name", "chat"}, {"gen_ai.request.model", "gpt-4o"}, {"gen_ai.usage.input_tokens", 12}, {"gen_ai.response.finish_reasons", []any{"stop"}},
				{"gen_ai.input.messages", `[{"role":"user","parts":[{"type":"text","content":"` + secret + `"}]}]`},
				{"gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"text","content":"` + secret + `"}]}]`},
				{"gen_ai.system_instructions", secret},
			}},
			{name: "execute_tool get_weather", kind: internal, attributes: attributes{{"gen_ai.tool.name", "get_weather"}, {"gen_ai.tool.call.arguments", `{"city":"` + secret + `"}`}}},
		}, metrics: []metric{
			{"gen_ai.client.token.usage", "{token}", "Number of input and output tokens used", histogram, attributes{{"gen_ai.operation.name", "chat"}, {"gen_ai.token.type", "input"}}},
		}},
		{name: "openinference.instrumentation.openai", spans: []span{
			{name: "ChatCompletion", kind: internal, attributes: attributes{
				{"openinference.span.kind", "LLM"}, {"llm.token_count.prompt", 12}, {"input.value", secret}, {"llm.input_messages.0.message.role", "user"}, {"llm.input_messages.0.message.content", secret},
			}},
		}},
		{name: "opentelemetry.instrumentation.openai.v1", spans: []span{
			{name: "openai.chat", kind: client, attributes: attributes{{"gen_ai.system", "OpenAI"}, {"llm.usage.total_tokens", 19}, {"gen_ai.prompt.0.content", secret}}},
		}},
	},
}}

// instant is the time of all telemetry of a test.
func instant() time.Time { return time.Now().Add(-time.Second).Truncate(time.Millisecond) }

func tracesOf(all []sender, at time.Time) ptrace.Traces {
	traces, number := ptrace.NewTraces(), byte(0)
	for i, from := range all {
		resource := traces.ResourceSpans().AppendEmpty()
		from.resource.put(resource.Resource().Attributes())
		resource.SetSchemaUrl(semconv)
		for _, scope := range from.scopes {
			if len(scope.spans) == 0 {
				continue
			}
			spans := resource.ScopeSpans().AppendEmpty()
			spans.Scope().SetName(scope.name)
			spans.Scope().SetVersion(scope.version)
			spans.SetSchemaUrl(scope.schema)
			for _, spec := range scope.spans {
				number++
				spec.appendTo(spans.Spans().AppendEmpty(), traceID(i), number, at)
			}
		}
	}
	return traces
}

func (s span) appendTo(out ptrace.Span, trace pcommon.TraceID, number byte, at time.Time) {
	out.SetName(s.name)
	out.SetKind(s.kind)
	out.SetTraceID(trace)
	out.SetSpanID(pcommon.SpanID{7, 7: number})
	if s.kind != server {
		out.SetParentSpanID(pcommon.SpanID{7, 7: 1})
	}
	out.TraceState().FromRaw("vendor=1")
	out.SetFlags(0x101)
	out.SetStartTimestamp(pcommon.NewTimestampFromTime(at))
	out.SetEndTimestamp(pcommon.NewTimestampFromTime(at.Add(5 * time.Millisecond)))
	s.attributes.put(out.Attributes())
	for _, e := range s.events {
		added := out.Events().AppendEmpty()
		added.SetName(e.name)
		added.SetTimestamp(pcommon.NewTimestampFromTime(at.Add(time.Millisecond)))
		e.attributes.put(added.Attributes())
	}
	if len(s.events) > 0 {
		out.Status().SetCode(ptrace.StatusCodeError)
		out.Status().SetMessage("failed")
	}
	out.SetDroppedAttributesCount(1)
}

func traceID(i int) pcommon.TraceID { return pcommon.TraceID{0x5b, 15: byte(i + 1)} }

func logsOf(all []sender, at time.Time) plog.Logs {
	logs := plog.NewLogs()
	for i, from := range all {
		resource := logs.ResourceLogs().AppendEmpty()
		from.resource.put(resource.Resource().Attributes())
		for _, scope := range from.scopes {
			if len(scope.logs) == 0 {
				continue
			}
			records := resource.ScopeLogs().AppendEmpty()
			records.Scope().SetName(scope.name)
			for _, spec := range scope.logs {
				out := records.LogRecords().AppendEmpty()
				if fields, ok := spec.body.(attributes); ok {
					fields.put(out.Body().SetEmptyMap())
				} else {
					_ = out.Body().FromRaw(spec.body)
				}
				out.SetEventName(spec.event)
				out.SetSeverityNumber(plog.SeverityNumberInfo)
				out.SetSeverityText("Info")
				out.SetTimestamp(pcommon.NewTimestampFromTime(at))
				out.SetObservedTimestamp(pcommon.NewTimestampFromTime(at.Add(time.Millisecond)))
				spec.attributes.put(out.Attributes())
				if spec.traced {
					out.SetTraceID(traceID(i))
					out.SetSpanID(pcommon.SpanID{7, 7: 1})
					out.SetFlags(1)
				}
			}
		}
	}
	return logs
}

func metricsOf(all []sender, at time.Time) pmetric.Metrics {
	metrics := pmetric.NewMetrics()
	for _, from := range all {
		resource := metrics.ResourceMetrics().AppendEmpty()
		from.resource.put(resource.Resource().Attributes())
		for _, scope := range from.scopes {
			if len(scope.metrics) == 0 {
				continue
			}
			list := resource.ScopeMetrics().AppendEmpty()
			list.Scope().SetName(scope.name)
			list.Scope().SetVersion(scope.version)
			list.SetSchemaUrl(scope.schema)
			for _, spec := range scope.metrics {
				spec.appendTo(list.Metrics().AppendEmpty(), at)
			}
		}
	}
	return metrics
}

func (m metric) appendTo(out pmetric.Metric, at time.Time) {
	out.SetName(m.name)
	out.SetUnit(m.unit)
	out.SetDescription(m.description)
	start, end := pcommon.NewTimestampFromTime(at.Add(-time.Minute)), pcommon.NewTimestampFromTime(at)
	number := func(point pmetric.NumberDataPoint) {
		point.SetStartTimestamp(start)
		point.SetTimestamp(end)
		point.SetIntValue(41)
		m.attributes.put(point.Attributes())
	}
	sum := func(temporality pmetric.AggregationTemporality, monotonic bool) {
		sum := out.SetEmptySum()
		sum.SetAggregationTemporality(temporality)
		sum.SetIsMonotonic(monotonic)
		number(sum.DataPoints().AppendEmpty())
	}
	switch m.kind {
	case gauge:
		number(out.SetEmptyGauge().DataPoints().AppendEmpty())
	case counter:
		sum(pmetric.AggregationTemporalityCumulative, true)
	case deltaCounter:
		sum(pmetric.AggregationTemporalityDelta, true)
	case upDownCounter:
		sum(pmetric.AggregationTemporalityCumulative, false)
	case histogram:
		h := out.SetEmptyHistogram()
		h.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		point := h.DataPoints().AppendEmpty()
		point.SetStartTimestamp(start)
		point.SetTimestamp(end)
		point.ExplicitBounds().FromRaw([]float64{0.005, 0.1, 10})
		point.BucketCounts().FromRaw([]uint64{1, 2, 0, 1})
		point.SetCount(4)
		point.SetSum(11.5)
		point.SetMin(0.001)
		point.SetMax(11)
		exemplar := point.Exemplars().AppendEmpty()
		exemplar.SetDoubleValue(11)
		exemplar.SetTimestamp(end)
		exemplar.SetTraceID(traceID(0))
		exemplar.SetSpanID(pcommon.SpanID{7, 7: 1})
		m.attributes.put(point.Attributes())
	case exponential:
		h := out.SetEmptyExponentialHistogram()
		h.SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
		point := h.DataPoints().AppendEmpty()
		point.SetStartTimestamp(start)
		point.SetTimestamp(end)
		point.SetScale(3)
		point.SetZeroCount(1)
		point.Positive().SetOffset(-4)
		point.Positive().BucketCounts().FromRaw([]uint64{1, 0, 2})
		point.SetCount(4)
		point.SetSum(2.5)
		m.attributes.put(point.Attributes())
	}
}
