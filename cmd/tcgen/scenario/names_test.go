// SPDX-License-Identifier: Apache-2.0

package scenario_test

import (
	"regexp"
	"slices"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
)

// TestNames holds the generators against the names that
// design/systems.md says the systems send.
func TestNames(t *testing.T) {
	f := func(system string, want wanted) {
		t.Helper()
		got := collectNames(t, system)
		for kind, names := range want {
			for _, name := range names {
				if !slices.ContainsFunc(got[kind], regexp.MustCompile("^(?:"+name+")$").MatchString) {
					t.Errorf("%s: no %s is named %s", system, kind, name)
				}
			}
		}
	}

	f("tensorcast", wanted{
		"span": {
			"MaterializeReplica", "MaterializeReplicaV2", "DeregisterArtifact", "StoreDaemon/MaterializeReplica",
			`/tensorcast\.global_store\.v1\.ClusterAdminService/HealthCheck`, `/tensorcast\.global_store\.v1\.ClusterRuntimeService/.*`,
			`/tensorcast\.global_store\.v1\.ArtifactCatalogService/.*`, `/tensorcast\.global_store\.v1\.AssemblyViewService/.*`,
			`/tensorcast\.global_store\.v1\.WorkflowOrchestrationService/.*`, `/tensorcast\.global_store\.v1\.MemoryTierService/.*`,
			`/tensorcast\.global_store\.v1\.GlobalStoreService/HealthCheck`,
			"GlobalStore/HealthCheck", "Client/LoadDictLocal", "Client/LoadDictDaemon", "Store/Register", "Store/Put",
			"StoreEngine/P2PIngest", "P2P/ChunkRecv", "P2P/DirectWrite", "H2D/Copy",
			"StoreEngine::lock_chunks", `registration_commit\.gs\.register_memory_replica\.rpc`, "ingest_from_p2p_internal",
			`.*RequestReplicaTransport`, `.*CompleteReplicaTransport`, "BeginReplicaFetch", "EndReplicaFetch", "ReleaseReplica",
		},
		"scope": {"tensorcast.daemon", "tensorcast.core"},
		"event": {"p2p_ingest_error", "p2p_ingest_retry_after_eviction", "p2p_ingest_complete", "store.fallback.disk"},
		"attribute": {
			"service.name", "service.namespace", "service.version", "tc.node.role", "rpc.system", "rpc.service", "rpc.method",
			"net.peer.ip", "net.peer.port", "tc.artifact.id", "tc.transport.id", "tc.replica.id", "tc.worker.id", "tc.device.uuid",
			"tc.disk.path", "tc.source.address", "tc.p2p.port", "tc.view.id", "tc.remote.key", "tc.offset", "tc.conn.index", "tc.key",
			"tc.store.session_id", "tc.store.daemon", "tc.store.client_artifact_id", "component", "error", "event",
			"tc.device.id", "tc.size.bytes", "tc.source.type", "tc.location", "tc.request.id", "view_id_prefix",
		},
		"metric": {
			"tc_p2p_bytes_total", "tc_rpc_requests_total", "tc_rpc_errors_total", "tc_p2p_source_reselection_attempt_total",
			"tc_p2p_source_reselection_success_total", "tc_p2p_source_reselection_exhausted_total", "tc_p2p_stale_source_detected_total",
			"tc_artifact_load_seconds", "tc_register_commit_seconds", "tc_rpc_duration_seconds",
			"tc_pinned_class_acquire_timeouts_total", "tc_pinned_budget_exhausted_total", "tc_memory_pool_bytes",
		},
		"family": {
			"tc_replica_register_total", "tc_replica_unregister_total", "tc_replicas_per_artifact", "tc_transport_requests_total",
			"tc_transport_wait_seconds", "tc_transport_filter_total", "tc_transport_no_exportable_total", "tc_transport_source_top1_share",
			"tc_transport_source_hhi", "tc_view_partial_backlog_bytes", "tensorcast_memory_tier_stable_bytes",
			"tensorcast_memory_tier_preemptible_bytes", "tensorcast_memory_tier_faults_per_sec", "tensorcast_memory_tier_rehydrate_p99_ns",
			"tensorcast_memory_tier_enable_preemptible", "tc_replicas_total", "python_.*", "process_.*", "tc_.*_created",
		},
		"label": {"artifact_id", "view_id", "node", "tc_request_id", "tc_artifact_id", "view_id_prefix"},
		"file":  {`tensorcast_daemon\.log`, `tensorcast_global_store\.log`, `tensorcast_daemon_stderr\.log`},
	})
	f("tuft", wanted{
		"span": {
			"POST /api/v1/.*", "POST /api/v1/.* http receive", "POST /api/v1/.* http send", "POST /api/v1/retrieve_future",
			"training_controller.create_model", "training_controller.run_forward", "training_controller.run_forward_backward",
			"training_controller.run_optim_step", "training_controller.save_checkpoint",
			"sampling_controller.create_sampling_session", "sampling_controller.run_sample", "future_store.execute_operation",
			`training_backend\..*`, `sampling_backend\..*`, "redis.SET", "redis.GET", "redis.DEL", "redis.SCAN", "oai.proxy_inference",
			"hf_model.forward_backward", "hf_model.optim_step", "hf_model.save_state",
		},
		"attribute": {
			"tuft.session_id", "tuft.training_run_id", "tuft.sampling_session_id", "tuft.request_id", "tuft.model_id", "tuft.lora_id",
			"tuft.learning_rate", "oai.user_id", "oai.model", "oai.lora_id", "tuft.operation_type", "tuft.base_model", "tuft.lora_rank",
			"tuft.backward", "model_id", "base_model", "queue_state", "operation", "operation_type", "status", "gpu_id",
			"otelTraceID", "otelSpanID", "otelTraceSampled", "otelServiceName", "otel.metric.overflow",
		},
		"metric": {
			"tuft.training.models.active", "tuft.training.tokens_per_second", "tuft.training.checkpoints.saved",
			"tuft.training.checkpoint.size_bytes", "tuft.sampling.sessions.active", "tuft.sampling.requests", "tuft.sampling.duration",
			"tuft.sampling.tokens_per_second", "tuft.sampling.output_tokens", "tuft.futures.queue_length", "tuft.futures.created",
			"tuft.futures.completed", "tuft.futures.wait_time", "tuft.futures.execution_time", "tuft.redis.operation.duration",
			"tuft.resource.cpu.utilization_percent", "tuft.resource.memory.used_bytes", "tuft.resource.memory.total_bytes",
			"tuft.resource.memory.utilization_percent", "tuft.resource.gpu.utilization_percent", "tuft.resource.gpu.memory_used_bytes",
			"tuft.resource.gpu.memory_total_bytes", "tuft.resource.process.memory_used_bytes", `http\.server\..*`,
		},
		"unit": {"bytes", "tokens", "tokens/s", "%", "s"},
	})
	f("pytango", wanted{
		"span": {
			`virtual CORBA::Any\* Tango::Device_4Impl::command_inout_4\(.*\)`, `SKABaseDevice\.On`, "__main__",
			`simple_device\.<locals>\.TestDevice\.lineno_command`,
		},
		"scope": {"tango.cpp", "tango.python.server", "tango.python.client"},
		"attribute": {
			"tango.operation.target", "tango.operation.argument", "tango.telemetry.topic", "code.filepath", "code.lineno", "thread.id",
			"thread.name", "tango.client_ident.location", "tango.client_ident.pid", "tango.client_ident.lang", "service.namespace",
			"service.name", "service.instance.id", "tango.server.name", "tango.process.id", "tango.host", "host.name",
		},
	})
	f("fastdeploy", wanted{
		"span": {
			`POST /v1/chat/completions \(Req: chatcmpl-.*\)`, "FastDeploy Req .*", `FastDeploy\(host:.* \| pid:\d+\)`, `engine \[TP 0\] \(host:.* \| pid:\d+\)`,
			"PREPROCESSING", "SCHEDULE", "PREFILL", "DECODE", "POSTPROCESSING", "FD_START", "DEQUEUE",
		},
		"attribute": {
			"rid", "host_id", "pid", "thread_label", "tp_rank", "dp_rank", "job_id", "stream", "bootstrap_room", "service.name", "host.name",
			"process.pid", "service.instance.id",
		},
		"family": {
			"fastdeploy:num_requests_running", "fastdeploy:zmq:msg_send_total", "fastdeploy:requests_number", "fastdeploy:zmq:latency",
			"fastdeploy:first_token_latency", "fastdeploy:infer_latency", "http_requests_total", `fastdeploy:.*_rate_\d`, "fastdeploy:cache_config_info",
		},
		"label": {"address", "method", "path", "status_code"},
		"file": {
			`fastdeploy_mixed-0\.log`, `fastdeploy_mixed-0_trace\.log`, `fastdeploy_prefill-0\.log`, `fastdeploy_prefill-0_trace\.log`,
			`fastdeploy_decode-0\.log`, `fastdeploy_decode-0_trace\.log`,
		},
	})
}

// wanted maps a kind of name to patterns.
type wanted map[string][]string

func collectNames(t *testing.T, system string) map[string][]string {
	names := map[string][]string{}
	add := func(kind, name string) { names[kind] = append(names[kind], name) }
	attributes := func(m pcommon.Map) {
		for key := range m.All() {
			add("attribute", key)
		}
	}
	generator, batches := generate(t, system, 1)
	for _, b := range batches {
		for _, s := range spans(b) {
			add("span", s.Name())
			add("scope", s.scope)
			attributes(s.resource.Attributes())
			attributes(s.Attributes())
			for _, e := range s.Events().All() {
				add("event", e.Name())
				attributes(e.Attributes())
			}
		}
		for _, m := range metrics(b) {
			add("metric", m.Name())
			add("unit", m.Unit())
			for a := range datapoints.Attributes(m) {
				attributes(a)
			}
		}
		for _, r := range records(b) {
			attributes(r.Attributes())
		}
		for _, l := range b.Lines {
			add("file", l.File)
		}
	}
	for _, family := range gather(t, generator) {
		add("family", family.GetName())
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				add("label", label.GetName())
			}
		}
	}
	for kind := range names {
		slices.Sort(names[kind])
		names[kind] = slices.Compact(names[kind])
	}
	return names
}
