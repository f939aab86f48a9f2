// SPDX-License-Identifier: Apache-2.0

package main

// The names are those that the systems really use; a part of them is conformant
// already. Names with ids inside are left out, since an id that repeats in every
// request would be a known name after the first.

// source is one instrumentation scope of one process.
type source struct {
	service, namespace, scope string
	items                     []item
	line                      func(n int) string // the text of log records, instead of items
	attributes                []attribute        // the first five are those of a short item
}

// item is a metric, a span, or a log record's text.
type item struct {
	name, unit string
	counter    bool
}

type attribute struct {
	key   string
	value any // or a func(int) string of the item's number
}

// anID is the value of attributes that differ from item to item.
var anID any

var metricSources = []source{
	{
		service: "global-store", namespace: "tensorcast", scope: "tensorcast.global_store",
		items: []item{
			{name: "tc_replica_register_total", counter: true},
			{name: "tc_transport_requests_total", counter: true},
			{name: "tc_replicas_per_artifact"},
			{name: "tc_view_partial_backlog_bytes", unit: "By"},
			{name: "tensorcast_memory_tier_stable_bytes", unit: "By"},
			{name: "tensorcast_memory_tier_preemptible_bytes", unit: "By"},
			{name: "tensorcast_memory_tier_faults_per_sec"},
			{name: "tensorcast_memory_tier_enable_preemptible"},
		},
		attributes: []attribute{
			{"artifact_id", anID}, {"node", "node-7"}, {"memory_type", "GPU"}, {"status", "OK"}, {"reason", "none"},
			{"view_id", anID}, {"component", "catalog"}, {"method", "RequestReplicaTransport"}, {"code", "OK"}, {"shard", 3},
		},
	},
	{
		service: "tuft", scope: "tuft",
		items: []item{
			{name: "tuft.futures.created", counter: true},
			{name: "tuft.futures.completed", counter: true},
			{name: "tuft.sampling.requests", counter: true},
			{name: "tuft.training.checkpoints.saved", counter: true},
			{name: "tuft.resource.cpu.utilization_percent", unit: "%"},
			{name: "tuft.resource.memory.used_bytes", unit: "bytes"},
			{name: "tuft.resource.gpu.memory_used_bytes", unit: "bytes"},
			{name: "tuft.resource.gpu.memory_total_bytes", unit: "bytes"},
		},
		attributes: []attribute{
			{"model_id", anID}, {"base_model", "Qwen/Qwen3-8B"}, {"operation_type", "forward_backward"}, {"http.route", "/api/v1/forward"}, {"server.address", "10.0.0.7"},
			{"status", "ready"}, {"gpu_id", "0"}, {"queue_state", "active"}, {"tuft.lora_rank", 16}, {"server.port", 8080},
		},
	},
	{
		service: "fastdeploy", scope: "fastdeploy.metrics",
		items: []item{
			{name: "fastdeploy:max_batch_size"},
			{name: "fastdeploy:available_gpu_block_num"},
			{name: "fastdeploy:hit_req_rate"},
			{name: "fastdeploy:batch_size"},
			{name: "fastdeploy:requests_number", counter: true},
			{name: "fastdeploy:send_cache_failed_num", counter: true},
			{name: "fastdeploy:zmq:msg_send_total", counter: true},
			{name: "fastdeploy:zmq:msg_bytes_send_total", counter: true},
		},
		attributes: []attribute{
			{"address", "ipc:///dev/shm/router.ipc"}, {"model_name", "ernie-4.5"}, {"host_id", "host-3"}, {"pid", "4711"}, {"stream", "true"},
			{"tp_rank", "1"}, {"dp_rank", "0"}, {"thread_label", "EngineWorker"}, {"job_id", anID}, {"status_code", 200},
		},
	},
}

var spanSources = []source{
	{
		service: "store-daemon", namespace: "tensorcast", scope: "tensorcast.daemon",
		items: []item{
			{name: "MaterializeReplica"},
			{name: "MaterializeReplicaV2"},
			{name: "DeregisterArtifact"},
			{name: "StoreDaemon/BeginReplicaFetch"},
		},
		attributes: []attribute{
			{"rpc.system", "grpc"}, {"rpc.service", "tensorcast.daemon.v2.StoreDaemonService"}, {"tc.artifact.id", anID}, {"component", "daemon"}, {"tc.size.bytes", 1 << 20},
			{"tc.transport.id", anID}, {"tc.source.type", "remote"}, {"tc.location", "gpu"}, {"tc.device.uuid", anID}, {"error", "none"},
		},
	},
	{
		service: "store-daemon", namespace: "tensorcast", scope: "tensorcast.core",
		items: []item{
			{name: "P2P/ChunkRecv"},
			{name: "StoreEngine::lock_chunks"},
			{name: "ingest_from_p2p_internal"},
			{name: "registration_commit.gs.register_memory_replica.rpc"},
		},
		attributes: []attribute{
			{"tc.artifact.id", anID}, {"tc.transport.id", anID}, {"tc.offset", 4 << 20}, {"event", "chunk"}, {"tc.conn.index", 2},
			{"tc.replica.id", anID}, {"tc.source.type", "disk"}, {"tc.location", "cpu"}, {"tc.p2p.port", 7001}, {"component", "engine"},
		},
	},
	{
		service: "tuft", scope: "tuft",
		items: []item{
			{name: "training_controller.run_forward_backward"},
			{name: "future_store.execute_operation"},
			{name: "redis.SET"},
			{name: "POST /api/v1/forward_backward"},
		},
		attributes: []attribute{
			{"tuft.request_id", anID}, {"tuft.training_run_id", anID}, {"base_model", "Qwen/Qwen3-8B"}, {"tuft.operation_type", "forward_backward"}, {"operation", "SET"},
			{"tuft.session_id", anID}, {"tuft.lora_rank", 16}, {"tuft.backward", true}, {"status", "ready"}, {"model_id", anID},
		},
	},
	{
		service: "fastdeploy", scope: "fastdeploy.trace",
		items: []item{
			{name: "PREPROCESSING"},
			{name: "SCHEDULE"},
			{name: "PREFILL"},
			{name: "DECODE"},
		},
		attributes: []attribute{
			{"rid", anID}, {"host_id", "host-3"}, {"pid", "4711"}, {"thread_label", "EngineWorker"}, {"stream", "true"},
			{"tp_rank", "1"}, {"dp_rank", "0"}, {"job_id", anID}, {"bootstrap_room", "0x1f2e3d"}, {"http.route", "/v1/completions"},
		},
	},
}
