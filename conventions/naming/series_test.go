// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// TestIDsOfSystems checks that every high-cardinality attribute of a supported system's metrics
// is an id, under the original and the conformant key, and that others are none.
func TestIDsOfSystems(t *testing.T) {
	n, cases := newNamer(t, Options{}), readNames(t)
	for _, row := range cases.IDs {
		require.Contains(t, sources, row[0])
		owner, metric := sources[row[0]].owner(n), row[1]
		decision := n.Metric(owner, metric)
		for _, key := range row[2:] {
			conformant := key
			if d := n.Attribute(decision.System, key); d != nil {
				conformant = d.Key
			}
			for _, series := range []Series{
				n.Series(owner, metric, decision.Name), // after naming
				n.Series(owner, "", decision.Name),     // after naming that did not keep the original
				n.Series(owner, "", metric),            // without naming
			} {
				for _, k := range []string{key, conformant} {
					by, ok := series.ID(k)
					require.True(t, ok, "%s of %s", k, metric)
					assert.Equal(t, decision.System, by)
				}
			}
		}
	}
	for _, row := range cases.NoIDs {
		require.Contains(t, sources, row[0])
		series := n.Series(sources[row[0]].owner(n), "", row[1])
		for _, key := range row[2:] {
			_, ok := series.ID(key)
			assert.False(t, ok, "%s of %s", key, row[1])
		}
	}
}

// If the conformant key is taken, naming keeps the original.
func TestIDsInAnotherForm(t *testing.T) {
	n := newNamer(t, Options{})
	by, ok := n.Series(daemon.owner(n), "", "calls").ID("TC.Artifact.ID")
	assert.True(t, ok)
	assert.Equal(t, "tensorcast", by.Name())
	assert.True(t, n.Series(daemon.owner(n), "", "calls").HasIDs())
	assert.False(t, n.Series(nil, "", "calls").HasIDs(), "the ids of packs that own all telemetry are those of some metrics")
	assert.True(t, n.Series(nil, "", "gen_ai.client.token.usage").HasIDs())
}

func TestGaugesOfSystems(t *testing.T) {
	n := newNamer(t, Options{})
	for metric, want := range readNames(t).Gauges {
		decision := n.Metric(nil, metric)
		assert.Equal(t, want, n.Series(nil, metric, decision.Name).Gauge, metric)
		assert.Equal(t, want, n.Series(nil, "", decision.Name).Gauge, "the original not kept: %s", metric)
		assert.Equal(t, want, n.Series(nil, "", metric).Gauge, "without naming: %s", metric)
	}
}

// The rules of a pack that owns all telemetry apply after the owner's, and to telemetry without
// an owner.
func TestSeriesOfSeveralPacks(t *testing.T) {
	parse := func(text string) *conventions.Pack {
		pack, err := conventions.Parse("x.yaml", []byte(text))
		require.NoError(t, err)
		return pack
	}
	n := New([]*conventions.Pack{
		parse(`
system: all
owns: {all: true}
metrics:
  gauges: [{match: "tc_*_depth", aggregate: max}]
attributes:
  - {key: user, rename: tc.user.id, id: true}
  - {key: x.order, rename: tc.order.id}
`),
		parse(`
system: shop
owns: {metrics: ["shop.*"]}
metrics:
  gauges: [{match: tc_shop_depth, aggregate: sum}]
attributes:
  - {key: order, rename: x.order, id: true}
  - {key: user, rename: tc.shop.user}
`),
	}, Options{Prefix: "acme_", Unowned: RepairAll})

	gauge := func(original, name string, want conventions.GaugeAggregate) {
		t.Helper()
		assert.Equal(t, want, n.Series(nil, original, name).Gauge)
	}
	gauge("shop.depth", "acme_shop_depth", conventions.AggregateSum)
	gauge("shop.queue.depth", "acme_shop_queue_depth", conventions.AggregateMax)
	gauge("", "acme_other_depth", conventions.AggregateMax)
	gauge("shop.width", "acme_shop_width", "")

	id := func(original, key, want string) {
		t.Helper()
		by, _ := n.Series(nil, original, "acme_shop_x").ID(key)
		assert.Equal(t, want, by.Name(), key)
	}
	// Renames of both packs: order, x.order, tc.order.id.
	for _, key := range []string{"order", "x.order", "tc.order.id"} {
		id("shop.x", key, "shop")
		id("", key, "none")
	}
	for _, key := range []string{"user", "tc.user.id"} {
		id("shop.x", key, "all")
		id("", key, "all")
	}
	id("shop.x", "tc.shop.user", "all")
	id("", "tc.shop.user", "none")
}

// Points keep an id on the metrics that id_except names, and on those that id_only does not name. Copies do not
// keep what their metric keeps for its dashboards.
func TestIDsThatMetricsKeep(t *testing.T) {
	n := newNamer(t, Options{})
	f := func(key, original, metric string, want bool) {
		t.Helper()
		_, ok := n.Series(nil, original, metric).ID(key)
		assert.Equal(t, want, ok, "%s of %s", key, metric)
	}
	f("WorkerId", "", "ray_operation_run_time_ms", true)
	f("WorkerId", "", "ray_serve_http_request_latency_ms", true)
	f("WorkerId", "", "ray_vllm_num_requests_running", false)
	f("WorkerId", "", "ray_serve_deployment_request_counter_total", false)
	for _, key := range []string{"WorkerId", "ReplicaId", "replica"} {
		f(key, "ray_vllm_num_requests_running", "tc_inference_requests_running", true)
		f(key, "ray_vllm_num_requests_running", "acme_inference_requests_running", true)
		f(key, "ray_vllm_e2e_request_latency_seconds", "gen_ai.server.request.duration", true)
	}
	f("ReplicaId", "", "ray_vllm_num_requests_running", false)
	f("replica", "", "ray_serve_deployment_request_counter_total", false)
	assert.NotEqual(t, n.Series(nil, "", "ray_tasks").Kept(), n.Series(nil, "", "ray_vllm_prompt_tokens").Kept())

	// Ray's page has metrics of users, whose labels may have the keys of Ray's.
	for _, key := range []string{"job_id", "task_id", "worker_id", "actor_id", "node_id", "replica_id", "request_id", "pid", "handle", "start_time", "replica"} {
		f(key, "", "ray_myapp_orders_total", false)
	}
	f("WorkerId", "", "ray_myapp_orders_total", true)
	f("JobId", "", "ray_myapp_orders_total", true)
	f("pid", "", "ray_component_rss_bytes", true)
	f("handle", "", "ray_serve_deployment_queued_queries", true)
	f("node_id", "", "ray_serve_proxy_status", true)
	f("job_id", "", "ray_data_dataset_state", true)
}

// A copy of an id that the metric loses is an id too, whatever key it has on the copy.
func TestIDsOfCopies(t *testing.T) {
	pack, err := conventions.Parse("x.yaml", []byte(`
system: shop
owns: {metrics: ["shop_*"]}
names: keep
metrics:
  gauges: [{match: "tc_items", aggregate: sum}, {match: "shop_*", aggregate: max}]
  also: [{match: "^shop_(items|stock)$", name: tc_items, attributes: {till: tc.till, row: tc.row}}]
attributes:
  - {key: till, id: true, id_only: [shop_items]}
  - {key: row, id: true, id_except: [shop_items]}
`))
	require.NoError(t, err)
	n := New([]*conventions.Pack{pack}, Options{Prefix: "tc_"})
	f := func(original, name string, want ...string) {
		t.Helper()
		var ids []string
		for _, key := range []string{"till", "tc.till", "row", "tc.row"} {
			if _, ok := n.Series(nil, original, name).ID(key); ok {
				ids = append(ids, key)
			}
		}
		assert.Equal(t, want, ids, name)
	}
	f("", "shop_items", "till", "tc.till")
	f("shop_items", "tc_items", "till", "tc.till", "row", "tc.row")
	f("", "shop_stock", "row", "tc.row")
	f("shop_stock", "tc_items", "row", "tc.row")
	assert.Equal(t, conventions.AggregateMax, n.Series(nil, "", "shop_items").Gauge)
	assert.Equal(t, conventions.AggregateSum, n.Series(nil, "shop_items", "tc_items").Gauge)
}
