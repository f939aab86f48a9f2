// SPDX-License-Identifier: Apache-2.0

package scenario

var (
	byArtifact = []string{"artifact_id"}
	grpcMethod = one("RequestReplicaTransport", "CompleteReplicaTransport", "HealthCheck")
	results    = one("success", "error")
)

// daemonFamilies are what a Store Daemon exposes on :9091, labelled by ids; see
// feedDaemonPage. The option that labels its RPC metrics with ids is on.
var daemonFamilies = []family{
	{scrapedCounter, "tc_rpc_requests_total", "", []string{"method", "tc_request_id", "tc_artifact_id"}, nil, 0},
	{scrapedHistogram, "tc_rpc_duration_seconds", "", []string{"method", "tc_request_id", "tc_artifact_id"}, nil, 1},
	{scrapedHistogram, "tc_artifact_load_seconds", "", []string{"source", "view_id_prefix"}, nil, 1},
	{scrapedCounter, "tc_p2p_bytes_total", "", nil, unlabelled, 8 << 20},
}

// globalStoreFamilies are what the Global Store exposes on :8001. The families
// without values are labelled by ids; see feedGlobalStore.
var globalStoreFamilies = []family{
	{scrapedCounter, "tc_replica_register_total", "Replicas registered.", []string{"artifact_id", "memory_type"}, nil, 0},
	{scrapedCounter, "tc_replica_unregister_total", "Replicas unregistered.", []string{"artifact_id", "memory_type"}, nil, 0},
	{scrapedGauge, "tc_replicas_per_artifact", "Replicas of an artifact.", byArtifact, nil, 0},
	{scrapedCounter, "tc_transport_requests_total", "Transport requests.", []string{"artifact_id", "status"}, nil, 0},
	{scrapedHistogram, "tc_transport_wait_seconds", "Wait for a replica.", byArtifact, nil, 0},
	{scrapedCounter, "tc_transport_filter_total", "Replicas filtered out of a selection.", []string{"artifact_id", "reason"}, nil, 0},
	{scrapedCounter, "tc_transport_no_exportable_total", "Requests without an exportable source.", byArtifact, nil, 0},
	{scrapedGauge, "tc_transport_source_top1_share", "Share of the busiest source.", byArtifact, nil, 0},
	{scrapedGauge, "tc_transport_source_hhi", "Concentration of sources.", byArtifact, nil, 0},
	{scrapedGauge, "tc_view_partial_backlog_bytes", "Bytes missing from a partial view.", []string{"artifact_id", "view_id"}, nil, 0},

	// A gauge, in spite of its name.
	{scrapedGauge, "tc_replicas_total", "Replicas of all workers.", nil, unlabelled, 400},
	{scrapedGauge, "tc_replicas_per_memtype", "Replicas by memory type.", []string{"memory_type"}, one("GPU", "RAM", "DISK"), 200},
	{scrapedGauge, "tc_active_workers", "Active workers.", nil, unlabelled, 8},
	{scrapedGauge, "tc_active_transports", "Transports in flight.", nil, unlabelled, 32},
	{scrapedCounter, "tc_transport_dispatch_events_total", "Dispatcher events.", []string{"event"}, one("enqueued", "dispatched"), 4},
	{scrapedCounter, "tc_grpc_server_handled_total", "gRPC requests handled.", []string{"method", "code"}, [][]string{{"HealthCheck", "OK"}, {"RequestReplicaTransport", "NOT_FOUND"}}, 3},
	{scrapedHistogram, "tc_grpc_server_handling_seconds", "gRPC handling time.", []string{"method"}, grpcMethod, 0.2},
	{scrapedGauge, "tc_grpc_server_inflight_requests", "gRPC requests in flight.", nil, unlabelled, 16},
	{scrapedGauge, "tc_grpc_server_inflight_peak_requests", "Peak of gRPC requests in flight.", nil, unlabelled, 64},
	{scrapedGauge, "tc_control_plane_executor_max_threads", "Size of the executor.", nil, unlabelled, 64},
	{scrapedGauge, "tc_control_plane_executor_live_threads", "Live threads.", nil, unlabelled, 64},
	{scrapedGauge, "tc_control_plane_executor_busy_threads", "Busy threads.", nil, unlabelled, 64},
	{scrapedGauge, "tc_control_plane_executor_idle_threads", "Idle threads.", nil, unlabelled, 64},
	{scrapedGauge, "tc_control_plane_executor_queue_depth", "Queued work.", nil, unlabelled, 64},
	{scrapedCounter, "tc_control_plane_conflicts_total", "Write conflicts.", []string{"scope"}, one("replica", "view"), 2},
	{scrapedCounter, "tc_control_plane_idempotency_replay_total", "Idempotency replays.", []string{"operation_kind", "result"}, [][]string{{"register", "hit"}}, 2},
	{scrapedGauge, "tc_capability_directory_entries", "Capabilities known.", []string{"scope", "capability"}, [][]string{{"worker", "p2p"}, {"instance", "view"}}, 8},
	{scrapedCounter, "tc_view_registration_total", "View registrations.", []string{"result"}, one("complete", "partial"), 3},
	{scrapedCounter, "tc_digest_entries_written_total", "Digests written.", []string{"grid"}, one("leaves", "piece_proof_digests"), 64},
	{scrapedCounter, "tc_digest_conflicts_total", "Digest conflicts.", []string{"grid"}, one("leaves"), 2},
	{scrapedCounter, "tc_digest_requests_rejected_total", "Digest writes rejected.", []string{"reason"}, one("too_large", "invalid"), 2},
	{scrapedCounter, "tc_gc_rows_deleted_total", "Rows deleted by retention.", []string{"table"}, one("operations"), 16},
	{scrapedCounter, "tc_state_sync_total", "State synchronisations.", []string{"result"}, results, 2},
	{scrapedHistogram, "tc_state_sync_seconds", "Time of a state synchronisation.", nil, unlabelled, 1},
	{scrapedGauge, "tc_worker_control_reducer_queue_depth", "Reducer queue.", []string{"shard"}, one("0", "1"), 8},
	{scrapedHistogram, "tc_worker_control_reducer_queue_latency_seconds", "Reducer queue wait.", nil, unlabelled, 0.1},
	{scrapedCounter, "tc_worker_control_reducer_intents_total", "Reducer intents.", []string{"shard", "kind", "result"}, [][]string{{"0", "heartbeat", "applied"}}, 4},
	{scrapedGauge, "tc_worker_heartbeat_buffer_pending", "Heartbeats pending.", nil, unlabelled, 8},
	{scrapedHistogram, "tc_worker_heartbeat_flush_batch_size", "Heartbeats per flush.", nil, unlabelled, 32},
	{scrapedCounter, "tc_worker_heartbeat_flush_updates_total", "Heartbeat updates flushed.", []string{"result"}, one("batched", "dropped"), 8},
	{scrapedCounter, "tc_reconcile_result_total", "Reconcile results.", []string{"result_kind"}, one("ok", "retry_later"), 2},
	{scrapedCounter, "tc_reconcile_retry_later_total", "Reconciles put off.", []string{"reason"}, one("busy"), 2},
	{scrapedCounter, "tc_group_realization_events_total", "Group events.", []string{"operation", "result"}, [][]string{{"join", "success"}}, 2},
	{scrapedHistogram, "tc_group_realization_operation_seconds", "Time of a group operation.", []string{"operation"}, one("join"), 0.5},
	{scrapedCounter, "tc_group_realization_waiter_polls_total", "Waiter polls.", []string{"result"}, results, 8},
	{scrapedGauge, "tc_group_realization_active_waiters", "Active waiters.", nil, unlabelled, 4},

	// These break the prefix.
	{scrapedGauge, "tensorcast_memory_tier_stable_bytes", "Stable memory of a node.", []string{"node", "state"}, [][]string{{"node-a", "total"}, {"node-a", "used"}}, 1 << 38},
	{scrapedGauge, "tensorcast_memory_tier_preemptible_bytes", "Preemptible memory of a node.", []string{"node", "state"}, [][]string{{"node-a", "total"}, {"node-a", "marked"}}, 1 << 38},
	{scrapedGauge, "tensorcast_memory_tier_faults_per_sec", "Faults of preemptible memory.", []string{"node"}, one("node-a", "node-b"), 20},
	{scrapedGauge, "tensorcast_memory_tier_rehydrate_p99_ns", "Rehydration time.", []string{"node"}, one("node-a", "node-b"), 5e6},
	{scrapedInfo, "tensorcast_memory_tier_enable_preemptible", "Whether preemptible memory is on.", []string{"node", "enable_preemptible"}, [][]string{{"node-a", "true"}}, 1},

	// prometheus_client's own.
	{scrapedInfo, "python_info", "Python platform information.", []string{"implementation", "major", "minor", "patchlevel", "version"}, [][]string{{"CPython", "3", "12", "4", "3.12.4"}}, 1},
	{scrapedCounter, "python_gc_objects_collected_total", "Objects collected during gc.", []string{"generation"}, one("0", "1", "2"), 300},
	{scrapedCounter, "python_gc_collections_total", "Times a generation was collected.", []string{"generation"}, one("0", "1", "2"), 2},
	{scrapedGauge, "process_virtual_memory_bytes", "Virtual memory size in bytes.", nil, unlabelled, 4e9},
	{scrapedGauge, "process_resident_memory_bytes", "Resident memory size in bytes.", nil, unlabelled, 4e8},
	{scrapedCounter, "process_cpu_seconds_total", "Total user and system CPU time spent in seconds.", nil, unlabelled, 0.5},
	{scrapedGauge, "process_open_fds", "Number of open file descriptors.", nil, unlabelled, 200},
}
