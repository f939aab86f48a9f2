// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// mooncake is the page of a store's master, with those of a client, of a standby and of the transfer engine, and
// their lines, which are glog's.
var mooncake = keptSystem{name: "mooncake", families: mooncakeFamilies(), bounds: map[string][]float64{
	"master_value_size_bytes": {4096, 65536, 262144, 1048576, 4194304, 16777216, 67108864},
}, next: nextMooncake}

// masterCounters have no labels.
const masterCounters = `file_cache_hit_bytes_total file_cache_hit_nums_ master_attempted_evictions_mem master_attempted_evictions_nof master_attempted_evictions_total
	master_batch_exist_key_failed_items_total master_batch_exist_key_failures_total master_batch_exist_key_items_total
	master_batch_exist_key_partial_successes_total master_batch_exist_key_requests_total master_batch_get_replica_list_failed_items_total
	master_batch_get_replica_list_failures_total master_batch_get_replica_list_items_total master_batch_get_replica_list_partial_successes_total
	master_batch_get_replica_list_requests_total master_batch_put_end_failed_items_total master_batch_put_end_failures_total
	master_batch_put_end_items_total master_batch_put_end_partial_successes_total master_batch_put_end_requests_total
	master_batch_put_revoke_failed_items_total master_batch_put_revoke_failures_total master_batch_put_revoke_items_total
	master_batch_put_revoke_partial_successes_total master_batch_put_revoke_requests_total master_batch_put_start_failed_items_total
	master_batch_put_start_failures_total master_batch_put_start_items_total master_batch_put_start_partial_successes_total
	master_batch_put_start_requests_total master_batch_query_ip_failed_items_total master_batch_query_ip_failures_total master_batch_query_ip_items_total
	master_batch_query_ip_partial_successes_total master_batch_query_ip_requests_total master_batch_replica_clear_failed_items_total
	master_batch_replica_clear_failures_total master_batch_replica_clear_items_total master_batch_replica_clear_partial_successes_total
	master_batch_replica_clear_requests_total master_copy_end_failures_total master_copy_end_requests_total master_copy_revoke_failures_total
	master_copy_revoke_requests_total master_copy_start_failures_total master_copy_start_requests_total master_create_copy_task_failures_total
	master_create_copy_task_requests_total master_create_move_task_failures_total master_create_move_task_requests_total
	master_evict_disk_replica_failures_total master_evict_disk_replica_requests_total master_evicted_key_count master_evicted_key_count_mem
	master_evicted_key_count_nof master_evicted_size_bytes master_evicted_size_bytes_mem master_evicted_size_bytes_nof master_exist_key_failures_total
	master_exist_key_requests_total master_fetch_tasks_failures_total master_fetch_tasks_requests_total master_get_replica_list_by_regex_failures_total
	master_get_replica_list_by_regex_requests_total master_get_replica_list_failures_total master_get_replica_list_requests_total
	master_mount_nof_segment_failures_total master_mount_nof_segment_requests_total master_mount_segment_failures_total master_mount_segment_requests_total
	master_move_end_failures_total master_move_end_requests_total master_move_revoke_failures_total master_move_revoke_requests_total
	master_move_start_failures_total master_move_start_requests_total master_nof_heartbeat_failure_total master_nof_heartbeat_success_total
	master_nof_heartbeat_timeout_total master_nof_segments_unmounted_by_heartbeat_total master_ping_failures_total master_ping_requests_total
	master_promotion_admitted_total master_promotion_cancelled_total master_promotion_candidate_admission_rejected_total
	master_promotion_candidate_admitted_total master_promotion_candidate_dropped_limit_total master_promotion_candidate_expired_evaluated_total
	master_promotion_candidate_expired_unevaluated_total master_promotion_candidate_recorded_total master_promotion_completed_bytes_total
	master_promotion_completed_total master_promotion_expired_total master_promotion_failed_total master_promotion_rejected_cap_total
	master_promotion_rejected_frequency_total master_promotion_rejected_watermark_total master_put_end_failures_total master_put_end_requests_total
	master_put_revoke_failures_total master_put_revoke_requests_total master_put_start_alloc_failures_total master_put_start_discard_cnt
	master_put_start_failures_total master_put_start_partial_allocations_total master_put_start_release_cnt master_put_start_requests_total
	master_query_task_failures_total master_query_task_requests_total master_remount_nof_segment_failures_total master_remount_nof_segment_requests_total
	master_remount_segment_failures_total master_remount_segment_requests_total master_remove_all_failures_total master_remove_all_requests_total
	master_remove_by_regex_failures_total master_remove_by_regex_requests_total master_remove_failures_total master_remove_requests_total
	master_snapshot_fail master_snapshot_success master_successful_evictions_mem master_successful_evictions_nof master_successful_evictions_total
	master_unmount_nof_segment_failures_total master_unmount_nof_segment_requests_total master_unmount_segment_failures_total
	master_unmount_segment_requests_total master_update_task_failures_total master_update_task_requests_total mem_cache_hit_bytes_total mem_cache_hit_nums_
	total_get_nums_ valid_get_nums_`

func mooncakeFamilies() []family {
	segments := numbered("gpu-node-%d:12345", 4)
	cluster := []string{"cluster_id"}
	operations := combined(one("prod-1"), one("batch_get_into", "batch_put_from", "get", "put"))
	calls := combined(one("prod-1"), one("GetReplicaList", "BatchGetReplicaList", "PutStart", "PutEnd", "ExistKey", "Ping"))
	transport := one("rdma", "tcp", "nvlink")
	return slices.Concat(
		alike(scrapedCounter, nil, unlabelled, 200, masterCounters),
		alike(scrapedGauge, nil, unlabelled, 1e11, `master_allocated_bytes master_total_capacity_bytes master_nof_allocated_bytes master_total_nof_capacity_bytes
			master_allocated_file_size_bytes master_total_file_capacity_bytes master_put_start_discarded_staging_size`),
		alike(scrapedGauge, nil, unlabelled, 9000, "master_key_count master_soft_pin_key_count master_active_clients master_promotion_in_flight mem_cache_nums_ file_cache_nums_"),
		alike(scrapedGauge, []string{"segment"}, segments, 1e10, "segment_allocated_bytes segment_total_capacity_bytes nof_segment_allocated_bytes nof_segment_total_capacity_bytes"),
		alike(scrapedHistogram, nil, unlabelled, 5e7, "master_value_size_bytes"),
		alike(scrapedHistogram, nil, unlabelled, 500, "master_nof_heartbeat_probe_latency_ms master_snapshot_duration_ms"),
		alike(scrapedCounter, []string{"tenant_id", "reason"}, combined(one("default", "team-a"), one("quota")), 2, "mooncake_tenant_quota_reject_total"),
		alike(scrapedCounter, []string{"tenant_id"}, one("default", "team-a"), 1e6, "mooncake_tenant_evict_bytes_total"),
		alike(scrapedGauge, nil, unlabelled, 9000, "ha_oplog_last_sequence_id ha_oplog_applied_sequence_id ha_oplog_standby_lag ha_oplog_pending_entries ha_pending_mutation_queue_size"),
		alike(scrapedGauge, nil, unlabelled, 3, "ha_standby_state"),
		alike(scrapedCounter, nil, unlabelled, 90, "ha_oplog_applied_entries_total ha_oplog_etcd_write_failures_total ha_oplog_etcd_write_retries_total ha_state_transitions_total"),
		alike(scrapedCounter, cluster, one("prod-1"), 1e8, "mooncake_transfer_read_bytes mooncake_transfer_write_bytes"),
		alike(scrapedHistogram, cluster, one("prod-1"), 5000, "mooncake_transfer_batch_put_latency mooncake_transfer_batch_get_latency mooncake_transfer_get_latency mooncake_transfer_put_latency"),
		alike(scrapedCounter, append(cluster, "rpc_name"), calls, 90, "mooncake_client_rpc_count"),
		alike(scrapedHistogram, append(cluster, "rpc_name"), calls, 5000, "mooncake_client_rpc_latency"),
		alike(scrapedCounter, append(cluster, "op_name"), operations, 1e6, "mooncake_transfer_read_operation_count mooncake_transfer_read_operation_bytes mooncake_transfer_write_operation_count mooncake_transfer_write_operation_bytes"),
		alike(scrapedHistogram, append(cluster, "op_name"), operations, 5000, "mooncake_transfer_read_operation_latency mooncake_transfer_write_operation_latency"),
		alike(scrapedCounter, []string{"transport"}, transport, 1e8, `tent_read_bytes_total tent_write_bytes_total tent_read_requests_total tent_write_requests_total
			tent_read_failures_total tent_write_failures_total`),
		alike(scrapedCounter, []string{"from", "to"}, [][]string{{"rdma", "tcp"}}, 1, "tent_transport_failover_total"),
		alike(scrapedCounter, []string{"transport", "operation"}, combined(transport, one("read", "write")), 20, "tent_transport_attempts_total tent_transport_attempt_failures_total"),
		alike(scrapedHistogram, []string{"transport"}, transport, 5000, "tent_read_latency_us tent_write_latency_us"),
	)
}

// nextMooncake writes the lines of a master, with the year as glog's default has it, and of a client in an engine.
func nextMooncake(run *keptRun) {
	write := func(file, layout string, ms int, level byte, thread int, source, message string) {
		run.write(file, ms, root, StatesNothing, fmt.Sprintf("%c%s %d %s] %s", level, run.at(ms).UTC().Format(layout), thread, source, message))
	}
	const dated, undated = "20060102 15:04:05.000000", "0102 15:04:05.000000"
	write("mooncake_master.INFO", dated, 10, 'I', 140, "master.cpp:445", "Resolved rpc_interface=eth0 to rpc_address=10.0.0.7")
	write("mooncake_master.INFO", dated, 20, 'W', 140, "master.cpp:744", `port is deprecated, use "rpc_port" instead`)
	write("mooncake_master.INFO", dated, 900, 'I', 151, "master_metric_manager.cpp:1380", "Master Metrics: Storage: 1.25 GB / 400.00 GB (0.3%) | Keys: "+strings.TrimSpace(fmt.Sprint(run.scenarios))+"\nRequests: PutStart=200, Get=900")
	write("transfer_engine.log", undated, 950, 'E', 4711, "rdma_context.cpp:412", "Worker: Process failed for slice (opcode: 0, source_addr: 0x7f1b2c3d4e50, length: 65536): transport retry counter exceeded")
}
