// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/conventions/glob"
)

// passing returns a Namer of the built-in packs and further ones that lets names pass that no pack owns.
func passing(t testing.TB, packs ...string) *Namer {
	t.Helper()
	return New(withBuiltin(t, packs...), Options{Prefix: "tc_", Exempt: DefaultExempt})
}

func withBuiltin(t testing.TB, texts ...string) []*conventions.Pack {
	t.Helper()
	var packs []*conventions.Pack
	for _, text := range texts {
		pack, err := conventions.Parse("own.yaml", []byte(text))
		require.NoError(t, err)
		packs = append(packs, pack)
	}
	builtin, err := conventions.Load(nil)
	require.NoError(t, err)
	return append(packs, builtin...)
}

// bystanders are names that other systems send, and that their dashboards ask for.
var bystanders = []string{
	"DCGM_FI_DEV_GPU_UTIL", "node_cpu_seconds_total", "kube_pod_status_phase", "vllm:num_requests_running", "ray_node_mem_used",
	"sglang:token_usage", "container_cpu_usage_seconds_total", "pg_stat_database_xact_commit", "numRequests", "some.metric", "…", "", " ",
	"http.server.request.duration", "http_server_request_duration_seconds", "tc_cache_hits", "TC_Cache", "tc.cache", "tc_", "chat gpt-4o",
	"SELECT orders", "redis.GET", "GET /users/42", "GET /users/{id}", "pkg.Svc/Method", "StoreEngine::lock_chunks", "PaymentService/Charge",
	"Charge 8f3a91c2d4e5f607", "SELECT * FROM t WHERE mail = 'bob@example.com'", "base_model", "tc.Source-Type", "TC.x", strings.Repeat("a", MaxName),
}

// keepShop keeps the names of a system, but for what it maps itself.
const keepShop = `
system: shop
owns: {resource: {service.name: [shop]}, metrics: ["shop_*"]}
names: keep
metrics:
  rename: {orders: tc_shop_orders_taken}
  prefixes: {"shop:": tc_shop_}
  units: {bytes: By}
spans:
  rules: [{match: '^Checkout #\d+$', component: Shop, operation: Checkout}]
attributes:
  - {key: till, rename: tc.till}
  - {key: customer, sensitive: redact, id: true}
`

func TestPackOfAllThatKeepsNames(t *testing.T) {
	_, err := conventions.Parse("own.yaml", []byte("system: all\nowns: {all: true}\nnames: keep\nattributes: [{key: a, id: true}]\n"))
	assert.EqualError(t, err, `own.yaml:3: names: must be for telemetry of one system: owns has only all (got "keep")`)
}

// A pack of all telemetry has the rules of the user, who wants them applied.
func TestRulesForAllApplyToNobody(t *testing.T) {
	n := passing(t, `
system: mine
owns: {all: true}
metrics:
  rename: {some.metric: tc_some_name}
  prefixes: {"acme:": tc_acme_}
spans: {rules: [{match: '^charge card$', component: Payment, operation: Charge}]}
attributes: [{key: customer, id: true}, {key: model, rename: tc.model}]
`)
	assert.Equal(t, "tc_some_name", n.Metric(nil, "some.metric").Name)
	assert.Equal(t, "tc_acme_calls", n.Metric(nil, "acme:calls").Name)
	assert.Equal(t, "acme.calls", n.Metric(nil, "acme.calls").Name)
	assert.Equal(t, "Payment/Charge", n.Span(Context{}, Facts{}, "charge card").Name)
	assert.Equal(t, "tc.model", n.Attribute(nil, "model").Key)
	assert.Nil(t, n.Attribute(nil, "tc.Source-Type"))
	_, ok := n.Series(nil, "", "other").ID("customer")
	assert.True(t, ok)
}

func TestServices(t *testing.T) {
	n := New(withBuiltin(t), Options{Prefix: "tc_", Services: []ServiceRule{
		{glob.New("*"), Unowned{Spans: true}},
		{glob.New("check*"), Unowned{}},
		{glob.New("checkout*"), RepairAll},
		{glob.New("checkout-eu"), Unowned{Attributes: true}},
	}})
	f := func(service string, want Unowned) {
		t.Helper()
		owner := n.Owner(func(key string) (string, bool) { return service, key == "service.name" }, "")
		assert.False(t, owner.Owned())
		assert.Equal(t, "none", owner.Name())
		assert.Same(t, owner, n.Owners()[owner.Index()])
		assert.Equal(t, want.Metrics, n.Metric(owner, "some.metric").Rule == MetricGeneral)
		assert.Equal(t, want.Spans, n.Span(Context{Owner: owner}, Facts{}, "some span").Rule == SpanText)
		assert.Equal(t, want.Attributes, n.Attribute(owner, "tc.Some") != nil)
		d := n.Metric(owner, "tuft.futures.created")
		assert.Equal(t, "tc_tuft_futures_created", d.Name, "a pack's name")
		assert.Equal(t, "tuft", d.System.Name())
	}
	f("checkout-eu", Unowned{Attributes: true})
	f("checkout-us", RepairAll)
	f("check", Unowned{})
	f("other", Unowned{Spans: true})
	f("", Unowned{Spans: true})
	for i, owner := range n.Owners() {
		assert.Equal(t, i, owner.Index())
	}
	tuft := n.Owner(func(key string) (string, bool) { return "tuft", key == "service.name" }, "")
	assert.Equal(t, "tuft", tuft.Name(), "packs go first")
	assert.True(t, tuft.Owned())
}

func TestAdopted(t *testing.T) {
	n := New(withBuiltin(t), Options{Prefix: "tc_", Exempt: DefaultExempt, Services: []ServiceRule{{glob.New("a"), Unowned{Spans: true}}}})
	repair := newNamer(t, Options{Exempt: DefaultExempt})
	adopted := n.Adopted()
	owner := adopted.Owner(func(key string) (string, bool) { return "a", key == "service.name" }, "")
	assert.Nil(t, owner)
	for _, name := range bystanders {
		unowned := func(d Decision) Decision {
			d.System = nil
			return d
		}
		assert.Equal(t, unowned(repair.Metric(nil, name)), unowned(adopted.Metric(owner, name)))
		assert.Equal(t, unowned(repair.Span(Context{}, Facts{}, name)), unowned(adopted.Span(Context{Owner: owner}, Facts{}, name)))
		assert.Equal(t, repair.Attribute(nil, name), adopted.Attribute(owner, name))
		assert.Equal(t, name, n.Metric(nil, name).Name, "the first one is unchanged")
	}
}

func TestExemptAndPrefixes(t *testing.T) {
	n := New(withBuiltin(t, `
system: shop
owns: {resource: {service.name: [shop]}}
metrics: {prefixes: {system_: tc_shop_system_, shop_: tc_shop_}}
`), Options{Prefix: "tc_", Exempt: append([]string{"shop_legacy_*"}, DefaultExempt...)})
	f := func(name, want string, rule Rule) {
		t.Helper()
		d := n.Metric(n.Systems()[0], name)
		assert.Equal(t, want, d.Name)
		assert.Equal(t, rule, d.Rule)
	}
	f("system_load", "tc_shop_system_load", MetricPrefix)
	f("system.load", "system.load", Exempt)
	f("shop_orders", "tc_shop_orders", MetricPrefix)
	f("shop_legacy_orders", "shop_legacy_orders", Exempt)
	for _, name := range []string{
		"http.server.request.duration", "http_server_request_duration_seconds_bucket", "http_client_request_duration_seconds",
		"rpc_server_call_duration_seconds", "db_client_operation_duration_seconds", "messaging_process_duration_seconds",
		"jvm_memory_used_bytes", "k8s_pod_uptime_seconds", "container_cpu_time_seconds_total", "gen_ai_client_token_usage",
		"gen_ai.server.time_to_first_token", "hw_energy_joules_total", "process_cpu_seconds_total", "faas_invocations_total",
		"dns_lookup_duration_seconds", "nodejs_eventloop_utilization_ratio", "v8js_gc_duration_seconds", "dotnet_gc_collections_total",
		"aspnetcore_routing_match_attempts_total", "kestrel_active_connections", "signalr_server_active_connections", "cpython_gc_collections_total",
		"go_goroutines", "python_info", "otel_sdk_span_live", "cicd_worker_count", "vcs_change_count", "azure_cosmosdb_client_operation_request_charge",
	} {
		f(name, name, Exempt)
	}
	f("http_requests_total", "tc_http_requests_total", MetricGeneral)
	f("database_calls", "tc_database_calls", MetricGeneral)
}

func TestSpansOfConventions(t *testing.T) {
	n := passing(t, `
system: shop
owns: {resource: {service.name: [shop]}}
spans:
  components: {services: [{match: "shop.v1.*", component: Shop}]}
  rules: [{match: '^charge (?P<card>\w+)$', component: Payment, operation: Charge}]
`)
	ctx := Context{Owner: n.Systems()[0], Service: "shop"}
	follows := Facts{Convention: true}
	f := func(facts Facts, name, want string, rule Rule) {
		t.Helper()
		d := n.Span(ctx, facts, name)
		assert.Equal(t, want, d.Name)
		assert.Equal(t, rule, d.Rule)
		again := n.Span(ctx, facts, d.Name)
		assert.Equal(t, want, again.Name)
	}
	for _, name := range []string{
		"chat gpt-4o", "invoke_agent Math Tutor", "execute_tool get_weather", "embeddings text-embedding-3-large", "chat Qwen/Qwen2.5-7B-Instruct",
		"SELECT orders", "SET", "redis.GET", "publish shop.orders", "process orders-1", "billing.v1.Billing/Pay", "chat gpt-4o-2024-08-06",
	} {
		f(follows, name, name, Exempt)
	}
	f(follows, "charge visa", "Payment/Charge", SpanPack)
	f(follows, "PaymentService/Charge", "PaymentService/Charge", Conformant)
	f(follows, "shop.v1.Tills/Open", "Shop/Open", SpanRPC)
	f(Facts{Attribute: "shop.v1.Tills", Convention: true}, "Open", "Shop/Open", SpanRPC)
	f(Facts{Attribute: "other.v1.Tills", Convention: true}, "Open", "Open", Exempt)
	f(Facts{}, "chat gpt-4o", "Shop/ChatGpt4o", SpanText)
	f(follows, "GET /users/{id}", "GET /users/{id}", Exempt)
	// Values are no part of a convention's name.
	f(follows, "SELECT * FROM t WHERE mail = 'bob@example.com'", "Shop/SelectFromTWhereMail", SpanText)
	f(follows, "", "Shop/Unnamed", SpanText)

	for _, none := range []string{"PaymentService/Charge", "charge visa", "GET"} {
		assert.Equal(t, Asks{}, n.Span(ctx, Facts{}, none).Asks, none)
	}
	assert.Equal(t, Asks{}, n.Span(Context{}, Facts{}, "chat gpt-4o").Asks, "of nobody")

	var folded []string
	admit := firstOf(2, 2)
	for _, name := range []string{"chat a", "chat b", "chat c", "chat", "X", "Y", "Z"} {
		d := n.Span(ctx, follows, name)
		d.Fold(admit)
		folded = append(folded, d.Name)
	}
	assert.Equal(t, []string{"chat a", "chat b", "chat", "chat", "X", "Other/Other", "Other/Other"}, folded)
}

// Owner remembers what packs say about each value and each scope: it is the first system of which one is selected.
func TestFirstPackOwns(t *testing.T) {
	n := passing(t, "system: first\nowns: {resource: {service.name: [\"vllm-x*\"], team: [a]}, scopes: [lib]}\n", "system: second\nowns: {resource: {team: [\"*\"]}, scopes: [\"lib*\"]}\n")
	values := []string{"", "vllm", "vllm-x1", "shop", "tensorcast", "tuft", "a", "b", "tango", strings.Repeat("long", 100)}
	for range 2 { // the second time it knows
		for _, service := range values {
			for _, team := range values {
				for _, scope := range []string{"", "lib", "library", "tensorcast.daemon", "vllm", "shop"} {
					attr := func(key string) (string, bool) {
						value := map[string]string{"service.name": service, "service.namespace": team, "team": team}[key]
						return value, value != ""
					}
					var want *System
					for _, s := range n.systems {
						if s.pack.Owns.Selects(attr, scope) {
							want = s
							break
						}
					}
					assert.Same(t, want, n.Owner(attr, scope), "%s, %s, %s", service, team, scope)
				}
			}
		}
	}
}
