// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// TestIDsOfSystems checks that every high-cardinality attribute of a supported system's metrics
// is an id, under the original and the conformant key. From is empty if the metric's name has
// to determine the system.
func TestIDsOfSystems(t *testing.T) {
	n := newNamer(t, Options{})
	f := func(from source, metric string, keys ...string) {
		t.Helper()
		owner := from.owner(n)
		decision := n.Metric(owner, metric)
		for _, key := range keys {
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
	for _, metric := range []string{
		"tc_replica_register_total", "tc_replica_unregister_total", "tc_replicas_per_artifact",
		"tc_transport_requests_total", "tc_transport_wait_seconds", "tc_transport_filter_total",
		"tc_transport_no_exportable_total", "tc_transport_source_top1_share", "tc_transport_source_hhi",
	} {
		f(source{}, metric, "artifact_id")
	}
	f(source{}, "tc_view_partial_backlog_bytes", "artifact_id", "view_id")
	f(source{}, "tc_artifact_load_seconds", "view_id_prefix")
	for _, metric := range []string{"tc_rpc_requests_total", "tc_rpc_errors_total", "tc_rpc_duration_seconds"} {
		f(source{}, metric, "tc.request.id", "tc.artifact.id", "tc_request_id", "tc_artifact_id")
	}
	for _, metric := range []string{"tuft.futures.created", "tuft.training.checkpoints.saved", "tuft.training.checkpoint.size_bytes"} {
		f(source{}, metric, "model_id")
	}
	for _, metric := range []string{"msg_send_total", "msg_bytes_recv_total", "latency"} {
		f(source{}, "fastdeploy:zmq:"+metric, "address")
	}
	// These names do not determine a system, so the resource has to.
	for _, metric := range []string{"http_requests_total", "http_request_duration_seconds"} {
		f(source{service: "fastdeploy"}, metric, "path")
	}

	// Keys of spans that somebody could put on metrics.
	f(daemon, "calls", "tc.artifact.id", "tc.transport.id", "tc.replica.id", "tc.worker.id", "tc.device.uuid", "tc.disk.path",
		"tc.source.address", "tc.view.id", "tc.remote.key", "tc.offset", "tc.key", "tc.store.session_id",
		"tc.store.client_artifact_id", "net.peer.ip", "net.peer.port")
	f(tuft, "calls", "tuft.session_id", "tuft.training_run_id", "tuft.sampling_session_id", "tuft.request_id", "tuft.model_id",
		"tuft.lora_id", "tuft.learning_rate", "oai.user_id", "oai.model", "oai.lora_id")
	f(source{service: "fastdeploy"}, "calls", "rid", "job_id", "bootstrap_room")
	f(tangoCPP, "calls", "code.filepath", "code.lineno", "thread.id", "thread.name", "tango.process.id",
		"tango.client_ident.location", "tango.client_ident.pid", "tango.client_ident.lang")
}

func TestNoIDs(t *testing.T) {
	n := newNamer(t, Options{})
	f := func(from source, metric string, keys ...string) {
		t.Helper()
		series := n.Series(from.owner(n), "", metric)
		for _, key := range keys {
			_, ok := series.ID(key)
			assert.False(t, ok, "%s of %s", key, metric)
		}
	}
	f(source{}, "tensorcast_memory_tier_faults_per_sec", "node", "tc.node", "state", "tc.device.id", "tc.p2p.port", "")
	f(source{}, "tuft.futures.created", "operation_type", "tc.operation_type", "base_model", "gpu_id", "artifact_id")
	f(source{service: "fastdeploy"}, "http_requests_total", "method", "status_code")
	f(source{}, "fastdeploy:cache_config_info", "block_size", "model_cfg")
	f(unowned, "http_requests_total", "path", "artifact_id", "tc.artifact.id")
}

// If the conformant key is taken, naming keeps the original.
func TestIDsInAnotherForm(t *testing.T) {
	n := newNamer(t, Options{})
	by, ok := n.Series(daemon.owner(n), "", "calls").ID("TC.Artifact.ID")
	assert.True(t, ok)
	assert.Equal(t, "tensorcast", by.Name())
	assert.True(t, n.Series(daemon.owner(n), "", "calls").HasIDs())
	assert.False(t, n.Series(nil, "", "calls").HasIDs())
}

func TestGaugesOfSystems(t *testing.T) {
	n := newNamer(t, Options{})
	f := func(metric string, want conventions.GaugeAggregate) {
		t.Helper()
		decision := n.Metric(nil, metric)
		assert.Equal(t, want, n.Series(nil, metric, decision.Name).Gauge, metric)
		assert.Equal(t, want, n.Series(nil, "", decision.Name).Gauge, "the original not kept: %s", metric)
		assert.Equal(t, want, n.Series(nil, "", metric).Gauge, "without naming: %s", metric)
	}
	f("tc_replicas_per_artifact", conventions.AggregateMean)
	f("tc_replicas_per_memtype", conventions.AggregateSum)
	f("tc_transport_source_top1_share", conventions.AggregateMean)
	f("tc_transport_source_hhi", conventions.AggregateMean)
	f("tc_view_partial_backlog_bytes", conventions.AggregateSum)
	f("tc_memory_pool_bytes", conventions.AggregateSum)
	f("tensorcast_memory_tier_stable_bytes", conventions.AggregateSum)
	f("tensorcast_memory_tier_faults_per_sec", conventions.AggregateSum)
	f("tensorcast_memory_tier_rehydrate_p99_ns", conventions.AggregateMax)
	f("tensorcast_memory_tier_enable_preemptible", conventions.AggregateSum)
	f("tuft.resource.gpu.utilization_percent", conventions.AggregateMean)
	f("tuft.resource.gpu.memory_used_bytes", conventions.AggregateSum)
	f("tuft.resource.memory.total_bytes", "")
	f("fastdeploy:num_requests_running", conventions.AggregateSum)
	f("fastdeploy:spec_decode_draft_single_head_acceptance_rate_1", conventions.AggregateMean)
	f("fastdeploy:first_token_latency", "")
	f("queue.depth", "")
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

// TestAttributesThatAreIDs checks that look-ups find every rule of the built-in packs,
// and no other key.
func TestAttributesThatAreIDs(t *testing.T) {
	n := newNamer(t, Options{})
	for _, system := range n.Systems() {
		var want []string
		for _, rule := range system.pack.Attributes {
			if rule.ID {
				want = append(want, rule.Key)
				if rule.Rename != "" && !system.attributes[rule.Rename].ID {
					want = append(want, rule.Rename)
				}
			}
		}
		var got []string
		for key := range system.ids {
			got = append(got, key)
		}
		assert.ElementsMatch(t, want, got, system.Name())
	}
	assert.Empty(t, n.ids)
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
