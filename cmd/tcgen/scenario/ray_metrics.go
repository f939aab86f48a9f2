// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// rayGroup are families of Ray's page with the same labels.
type rayGroup struct {
	kind familyKind
	// common are the labels that all series of a part of Ray have: rayCore, rayNode or rayComponent.
	common []string
	// ids are the labels whose values are those of the worker that has the series.
	ids string
	// labels and values are the others.
	labels string
	values [][]string
	scale  float64
	names  string
}

var (
	rayCore      = []string{"Component", "NodeAddress", "SessionName", "Version"}
	rayNode      = []string{"SessionName", "Version", "ip", "IsHeadNode", "RayNodeType"}
	rayComponent = []string{"SessionName", "Version", "ip", "Component"}
)

// rayCommon are the values of the labels that all workers have in common.
var rayCommon = map[string]string{
	"Component": "core_worker", "NodeAddress": "10.0.0.11", "ip": "10.0.0.11", "Version": "2.60.0",
	"SessionName": "session_2026-11-23_15-17-12_250272_17071", "IsHeadNode": "true", "RayNodeType": "head",
}

// rayGroups are what a page of 2.60.0 had, and what Ray's dashboards show besides.
var rayGroups = slices.Concat(rayCoreGroups(), rayServeGroups(), rayDataGroups(), rayLLMGroups())

func rayCoreGroups() []rayGroup {
	const worker, job = "WorkerId", "JobId WorkerId"
	methods := one(
		"NodeManagerService.grpc_server.GetResourceLoad", "NodeManagerService.grpc_server.RequestWorkerLease", "NodeManagerService.grpc_server.ReturnWorkerLease",
		"CoreWorkerService.grpc_server.PushTask", "CoreWorkerService.grpc_server.GetObjectStatus", "CoreWorkerService.grpc_server.WaitForActorRefDeleted",
		"ActorInfoGcsService.grpc_server.CreateActor", "ActorInfoGcsService.grpc_server.GetActorInfo", "JobInfoGcsService.grpc_server.GetAllJobInfo",
		"NodeInfoGcsService.grpc_server.GetAllNodeInfo", "InternalKVGcsService.grpc_server.InternalKVGet", "TaskInfoGcsService.grpc_server.AddTaskEventData",
	)
	contexts := one("raylet_main_io_context", "pubsub_io_context", "gcs_server_main_io_context")
	types := one("Get", "Wait", "TaskArgs")
	states := one("PENDING_NODE_ASSIGNMENT", "RUNNING", "RUNNING_IN_RAY_GET", "FINISHED", "FAILED")
	tasks := combined(one("preprocess", "train_step", "evaluate"), states, one("0", "1"), one("owner", "executor"))
	resources := combined(one("CPU", "GPU", "memory", "object_store_memory"), one("AVAILABLE", "USED"))
	gpus := combined(one("0", "1"), one("NVIDIA H100 80GB HBM3"))
	return []rayGroup{
		{scrapedHistogram, rayCore, worker, "Method", methods, 1000, "ray_grpc_server_req_process_time_ms"},
		{scrapedCounter, rayCore, worker, "Method", methods, 9, `ray_grpc_server_req_new_total ray_grpc_server_req_handling_total
			ray_grpc_server_req_finished_total ray_grpc_server_req_succeeded_total ray_grpc_client_req_failed_total`},
		{scrapedCounter, rayCore, worker, "Name", contexts, 9, "ray_operation_count_total"},
		{scrapedHistogram, rayCore, worker, "Name", contexts, 1000, "ray_operation_run_time_ms ray_operation_queue_time_ms"},
		{scrapedGauge, rayCore, worker, "Name", contexts, 90, "ray_operation_active_count ray_io_context_event_loop_lag_ms ray_io_context_monitor_latency_ms"},
		{scrapedGauge, rayCore, "JobId", "Name State IsRetry Source", tasks, 9, "ray_tasks"},
		{scrapedGauge, rayCore, "JobId", "Name State Source", combined(one("Counter", "ServeReplica:shop:Orders"), one("ALIVE_IDLE", "DEAD"), one("executor")), 9, "ray_actors"},
		{scrapedGauge, rayCore, job, "State", one("InMemory", "InPlasma", "Pending", "Spilled"), 9e6, "ray_owned_objects ray_owned_objects_size"},
		{scrapedGauge, rayCore, job, "", unlabelled, 900, "ray_job_duration_s"},
		{scrapedGauge, rayCore, worker, "Name State", resources, 900, "ray_resources"},
		{scrapedGauge, rayCore, worker, "Location ObjectState", combined(one("MMAP_SHM", "MMAP_DISK", "SPILLED", "WORKER_HEAP"), one("SEALED", "UNSEALED")), 9e9, "ray_object_store_memory"},
		{scrapedGauge, rayCore, worker, "Type", types, 9e6, `ray_pull_manager_usage_bytes ray_pull_manager_requests ray_pull_manager_requested_bundles ray_pull_manager_active_bundles
			ray_pull_manager_num_object_pins ray_object_manager_bytes ray_object_manager_received_chunks ray_push_manager_chunks ray_spill_manager_request_total`},
		{scrapedHistogram, rayCore, worker, "Type", types, 1000, "ray_pull_manager_object_request_time_ms"},
		{scrapedGauge, rayCore, worker, "State", one("Pinned", "Spilled", "Restored"), 9e6, "ray_spill_manager_objects ray_spill_manager_objects_bytes ray_scheduler_tasks ray_gcs_actors_count ray_gcs_placement_group_count ray_placement_groups"},
		{scrapedGauge, rayCore, worker, "Reason", one("WaitingForResources", "WaitingForWorkers"), 9, "ray_scheduler_unscheduleable_tasks ray_scheduler_failed_worker_startup_total"},
		{scrapedGauge, rayCore, worker, "", unlabelled, 900, `ray_total_lineage_bytes ray_internal_num_spilled_tasks ray_internal_num_processes_started ray_internal_num_infeasible_scheduling_classes
			ray_object_store_available_memory ray_object_store_used_memory ray_object_store_fallback_memory ray_object_store_num_local_objects
			ray_object_directory_subscriptions ray_object_directory_updates ray_object_directory_lookups ray_push_manager_num_pushes_remaining ray_running_jobs
			ray_scheduler_placement_time_ms_p50 ray_scheduler_placement_time_ms_p95 ray_scheduler_placement_time_ms_p99 ray_scheduler_placement_time_ms_mean ray_scheduler_placement_time_ms_max`},
		{scrapedHistogram, rayCore, worker, "", unlabelled, 1000, "ray_scheduler_placement_time_ms ray_worker_register_time_ms ray_health_check_rpc_latency_ms ray_object_store_dist"},
		{scrapedCounter, rayCore, worker, "Operation", one("Put", "Get", "Delete", "Exists"), 9, "ray_gcs_storage_operation_count_total"},
		{scrapedHistogram, rayCore, worker, "Operation", one("Put", "Get", "Delete", "Exists"), 1000, "ray_gcs_storage_operation_latency_ms"},
		{scrapedCounter, rayCore, worker, "", unlabelled, 2, "ray_finished_jobs_total"},
		{scrapedCounter, rayCore, worker, "Type Name", combined(one("MemoryManager.TaskEviction.Total"), one("preprocess")), 2, "ray_memory_manager_worker_eviction_total ray_node_manager_unexpected_worker_failure_total"},
		{scrapedGauge, rayComponent, "pid", "", unlabelled, 9e8, "ray_component_cpu_percentage ray_component_rss_bytes ray_component_rss_mb ray_component_uss_bytes ray_component_uss_mb ray_component_shared_bytes ray_component_num_fds"},
		{scrapedGauge, rayComponent, "pid", "GpuIndex GpuDeviceName", gpus, 90, "ray_component_gpu_percentage ray_component_gpu_memory_mb"},
		{scrapedGauge, rayNode, "", "", unlabelled, 9e9, `ray_node_cpu_utilization ray_node_cpu_count ray_node_mem_used ray_node_mem_available ray_node_mem_total ray_node_mem_shared_bytes
			ray_node_mem_used_host ray_node_mem_total_host ray_node_cgroup_mem_used ray_node_cgroup_mem_total ray_node_disk_usage ray_node_disk_free ray_node_disk_utilization_percentage
			ray_node_disk_io_read ray_node_disk_io_write ray_node_disk_io_read_count ray_node_disk_io_write_count ray_node_disk_io_read_speed ray_node_disk_io_write_speed
			ray_node_disk_read_iops ray_node_disk_write_iops ray_node_network_sent ray_node_network_received ray_node_network_send_speed ray_node_network_receive_speed`},
		{scrapedGauge, rayNode, "", "GpuIndex GpuDeviceName", gpus, 90, "ray_node_gpus_available ray_node_gpus_utilization ray_node_gram_used ray_node_gram_available ray_node_gpu_power_milliwatts ray_node_gpu_temperature_celsius"},
		{scrapedGauge, rayNode, "", "TpuIndex TpuDeviceName TpuType TpuTopology", [][]string{{"0", "TPU v5e", "v5litepod-8", "2x4"}}, 90, "ray_tpu_duty_cycle ray_tpu_memory_bandwidth_utilization ray_tpu_memory_total ray_tpu_memory_used ray_tpu_tensorcore_utilization"},
		{scrapedGauge, []string{"SessionName", "Version"}, "", "node_type", one("ray.head.default"), 1, "ray_cluster_active_nodes"},
	}
}

func rayServeGroups() []rayGroup {
	const worker = "WorkerId"
	deployment := combined(one("shop"), one("Orders", "Prices"))
	routes := combined(deployment, one("/orders", "/prices"))
	requests := combined(one("shop"), one("/orders", "/prices"), one("GET", "POST"))
	rpcs := combined(one("shop"), one("/shop.Orders/Take"))
	return []rayGroup{
		{scrapedCounter, rayCore, worker + " replica", "application deployment route", routes, 4, "ray_serve_deployment_request_counter_total"},
		{scrapedHistogram, rayCore, worker + " replica", "application deployment route", routes, 1000, "ray_serve_deployment_processing_latency_ms"},
		{scrapedCounter, rayCore, worker + " replica", "application deployment route exception_type", combined(routes, one("ValueError")), 2, "ray_serve_deployment_error_counter_total"},
		{scrapedGauge, rayCore, worker + " replica", "application deployment", deployment, 9, "ray_serve_deployment_replica_healthy ray_serve_replica_processing_queries ray_serve_num_multiplexed_models"},
		{scrapedGauge, rayCore, worker + " replica", "application deployment model_id", combined(deployment, one("lora-1", "lora-2")), 1, "ray_serve_registered_multiplexed_model_id"},
		{scrapedCounter, rayCore, worker + " replica", "application deployment", deployment, 2, `ray_serve_deployment_replica_starts_total ray_serve_multiplexed_get_model_requests_counter_total
			ray_serve_multiplexed_models_load_counter_total ray_serve_multiplexed_models_unload_counter_total`},
		{scrapedHistogram, rayCore, worker + " replica", "application deployment", deployment, 1000, "ray_serve_multiplexed_model_load_latency_ms ray_serve_multiplexed_model_unload_latency_ms"},
		{scrapedHistogram, rayCore, worker, "application deployment", deployment, 1000, "ray_serve_health_check_latency_ms ray_serve_replica_startup_latency_ms ray_serve_replica_initialization_latency_ms"},
		{scrapedGauge, rayCore, worker, "application deployment", deployment, 9, "ray_serve_deployment_status ray_serve_autoscaling_target_replicas"},
		{scrapedGauge, rayCore, "WorkerId actor_id handle", "application deployment", deployment, 9, "ray_serve_deployment_queued_queries ray_serve_num_ongoing_requests_at_replicas ray_serve_reserved_slots_active"},
		{scrapedHistogram, rayCore, "WorkerId actor_id handle", "application deployment", deployment, 1000, "ray_serve_router_args_resolution_latency_ms"},
		{scrapedCounter, rayCore, "WorkerId actor_id handle", "application deployment route", routes, 4, "ray_serve_num_router_requests_total ray_serve_handle_request_counter_total"},
		{scrapedGauge, rayCore, "WorkerId actor_id", "application deployment handle_source", combined(deployment, one("PROXY")), 9, "ray_serve_num_scheduling_tasks ray_serve_num_scheduling_tasks_in_backoff"},
		{scrapedGauge, rayCore, "WorkerId actor_id replica_id", "application deployment handle_source", combined(deployment, one("PROXY")), 9, "ray_serve_request_router_queue_len"},
		{scrapedHistogram, rayCore, "WorkerId actor_id", "application deployment handle_source", combined(deployment, one("PROXY")), 1000, "ray_serve_request_router_fulfillment_time_ms"},
		{scrapedHistogram, rayCore, "WorkerId actor_id", "component loop_type", combined(one("proxy", "replica"), one("main", "router")), 1000, "ray_serve_event_loop_scheduling_latency_ms"},
		{scrapedCounter, rayCore, "WorkerId actor_id", "component loop_type", combined(one("proxy", "replica"), one("main", "router")), 9, "ray_serve_event_loop_monitoring_iterations_total"},
		{scrapedGauge, rayCore, "WorkerId actor_id", "component loop_type", combined(one("proxy", "replica"), one("main", "router")), 9, "ray_serve_event_loop_tasks"},
		{scrapedGauge, rayCore, "WorkerId actor_id", "", unlabelled, 9, "ray_serve_controller_num_control_loops"},
		{scrapedGauge, rayCore, worker, "", unlabelled, 1, "ray_serve_controller_control_loop_duration_s ray_serve_controller_sleep_duration_s"},
		{scrapedGauge, rayCore, "WorkerId node_id", "node_ip_address", one("10.0.0.11"), 3, "ray_serve_proxy_status ray_serve_num_ongoing_http_requests ray_serve_num_ongoing_grpc_requests"},
		{scrapedHistogram, rayCore, worker, "application route method status_code", combined(requests, one("200", "500")), 1000, "ray_serve_http_request_latency_ms"},
		{scrapedCounter, rayCore, worker, "application route method status_code", combined(requests, one("200", "500")), 4, "ray_serve_num_http_requests_total"},
		{scrapedCounter, rayCore, worker, "application route method error_code", combined(requests, one("500")), 2, "ray_serve_num_http_error_requests_total"},
		{scrapedHistogram, rayCore, worker, "application method", rpcs, 1000, "ray_serve_grpc_request_latency_ms"},
		{scrapedCounter, rayCore, worker, "application method", rpcs, 4, "ray_serve_num_grpc_requests_total"},
		{scrapedCounter, rayCore, worker, "application method error_code", combined(rpcs, one("INTERNAL")), 2, "ray_serve_num_grpc_error_requests_total"},
		{scrapedHistogram, rayCore, worker, "namespace", one("LongPollNamespace.ROUTE_TABLE", "(LongPollNamespace.DEPLOYMENT_CONFIG, Deployment(name='Orders', app='shop'))"), 1000, "ray_serve_long_poll_latency_ms"},
		{scrapedGauge, rayCore, worker, "application", one("shop"), 3, "ray_serve_application_status"},
	}
}

func rayDataGroups() []rayGroup {
	const worker = "WorkerId"
	operators := combined(one("dataset_1_0", "train_3_0"), one("ReadParquet->Map(tokenize)", "MapBatches(embed)"))
	iterators := combined(one("train_3_0"), one("split_0", "split_1"))
	run := [][]string{{"finetune", "b6f2c1d4e5a64b0c8e7d9f0a1b2c3d4e"}}
	return []rayGroup{
		{scrapedGauge, rayCore, worker, "dataset operator", operators, 900, `ray_data_block_generation_time ray_data_block_transform_time_s ray_data_blocks_outputs_of_finished_tasks_per_node
			ray_data_bytes_inputs_of_submitted_tasks ray_data_bytes_inputs_received ray_data_bytes_outputs_of_finished_tasks_per_node ray_data_bytes_outputs_taken ray_data_bytes_task_inputs_processed
			ray_data_bytes_task_outputs_generated ray_data_cpu_budget ray_data_cpu_usage_cores ray_data_current_bytes ray_data_freed_bytes ray_data_function_body_time_s ray_data_gpu_budget
			ray_data_gpu_usage_cores ray_data_input_prep_time_s ray_data_max_bytes_to_read ray_data_max_uss_bytes_max ray_data_memory_budget ray_data_memory_usage_bytes
			ray_data_num_external_inqueue_blocks ray_data_num_external_inqueue_bytes ray_data_num_external_outqueue_blocks ray_data_num_external_outqueue_bytes ray_data_num_inputs_received
			ray_data_num_outputs_taken ray_data_num_task_inputs_processed ray_data_num_task_outputs_generated ray_data_num_tasks_failed ray_data_num_tasks_finished ray_data_num_tasks_finished_per_node
			ray_data_num_tasks_have_outputs ray_data_num_tasks_running ray_data_num_tasks_submitted ray_data_obj_store_mem_freed ray_data_obj_store_mem_internal_inqueue
			ray_data_obj_store_mem_internal_inqueue_blocks ray_data_obj_store_mem_internal_outqueue ray_data_obj_store_mem_internal_outqueue_blocks ray_data_obj_store_mem_pending_task_inputs
			ray_data_obj_store_mem_spilled ray_data_object_store_memory_budget ray_data_output_build_time_s ray_data_output_bytes ray_data_output_rows ray_data_rows_task_outputs_generated
			ray_data_sched_loop_duration_s ray_data_spilled_bytes ray_data_task_completion_time_excl_backpressure_s ray_data_task_output_backpressure_time ray_data_task_submission_backpressure_time`},
		{scrapedHistogram, rayCore, worker, "dataset operator", operators, 1000, "ray_data_block_completion_time ray_data_block_size_bytes ray_data_block_size_rows ray_data_task_completion_time"},
		{scrapedGauge, rayCore, worker, "dataset", one("dataset_1_0", "train_3_0"), 1, "ray_data_cluster_cpu_utilization ray_data_cluster_gpu_utilization ray_data_cluster_mem_utilization ray_data_cluster_object_store_memory_utilization"},
		{scrapedGauge, rayCore, worker + " job_id start_time", "dataset", one("dataset_1_0", "train_3_0"), 9, "ray_data_dataset_estimated_total_blocks ray_data_dataset_state"},
		{scrapedGauge, rayCore, worker, "dataset split", iterators, 9, `ray_data_iter_blocks_local ray_data_iter_blocks_remote ray_data_iter_collate_batch_seconds ray_data_iter_finalize_batch_seconds
			ray_data_iter_format_batch_seconds ray_data_iter_get_ref_bundles_seconds ray_data_iter_get_seconds ray_data_iter_initialize_seconds ray_data_iter_next_batch_seconds ray_data_iter_prefetched_bytes
			ray_data_iter_time_to_first_batch_seconds ray_data_iter_total_blocked_seconds ray_data_iter_unknown_location ray_data_iter_user_seconds`},
		{scrapedCounter, rayCore, worker, "dataset split", iterators, 9, "ray_data_iter_batches_total ray_data_iter_rows_total"},
		{scrapedGauge, rayCore, worker, "ray_train_run_name ray_train_run_id", run, 9, "ray_train_worker_group_start_total_time_s ray_train_worker_group_shutdown_total_time_s"},
		{scrapedGauge, rayCore, worker, "ray_train_run_name ray_train_run_id ray_train_controller_state", combined(run, one("RUNNING", "FINISHED")), 1, "ray_train_controller_state"},
		{scrapedGauge, rayCore, worker, "ray_train_run_name ray_train_run_id ray_train_worker_world_rank ray_train_worker_actor_id", combined(run, [][]string{
			{"0", "dc1c3cbed4ee16049f25c1c701000000"}, {"1", "43c0d664f58d43c41ecfc9fe01000000"},
		}), 9, "ray_train_report_total_blocked_time_s ray_train_checkpoint_sync_total_time_s ray_train_checkpoint_transfer_total_time_s"},
	}
}

func rayLLMGroups() []rayGroup {
	// Ray's dashboards group vLLM's metrics by WorkerId.
	const vllm, sglang = "WorkerId ReplicaId", "WorkerId replica"
	model := combined(one("meta-llama/Llama-3.1-8B-Instruct"), one("0"))
	served := [][]string{{"Qwen/Qwen3-8B", "llm", "SGLangServer"}}
	return []rayGroup{
		{scrapedHistogram, rayCore, vllm, "model_name engine", model, 1, `ray_vllm_e2e_request_latency_seconds ray_vllm_time_to_first_token_seconds ray_vllm_request_time_per_output_token_seconds
			ray_vllm_request_queue_time_seconds ray_vllm_request_prefill_time_seconds ray_vllm_request_decode_time_seconds ray_vllm_nixl_post_time_seconds ray_vllm_nixl_xfer_time_seconds
			ray_vllm_kv_offload_lookup_sync_delay_seconds`},
		{scrapedHistogram, rayCore, vllm, "model_name engine", model, 2000, `ray_vllm_request_prompt_tokens ray_vllm_request_generation_tokens ray_vllm_nixl_bytes_transferred ray_vllm_kv_offload_load_size
			ray_vllm_kv_offload_store_size`},
		{scrapedCounter, rayCore, vllm, "model_name engine", model, 2000, `ray_vllm_prompt_tokens_total ray_vllm_generation_tokens_total ray_vllm_prefix_cache_hits_total ray_vllm_prefix_cache_queries_total
			ray_vllm_external_prefix_cache_hits_total ray_vllm_external_prefix_cache_queries_total ray_vllm_num_preemptions_total ray_vllm_kv_offload_load_bytes_total ray_vllm_kv_offload_load_time_total
			ray_vllm_kv_offload_store_bytes_total ray_vllm_kv_offload_store_time_total ray_vllm_nixl_num_kv_expired_reqs_total`},
		{scrapedCounter, rayCore, vllm, "model_name engine finished_reason", combined(model, one("stop", "length", "abort")), 4, "ray_vllm_request_success_total"},
		{scrapedGauge, rayCore, vllm, "model_name engine", model, 1, `ray_vllm_kv_cache_usage_perc ray_vllm_kv_offload_cpu_cache_usage_perc ray_vllm_kv_offload_cpu_cache_read_usage_perc
			ray_vllm_kv_offload_cpu_cache_write_usage_perc`},
		{scrapedGauge, rayCore, vllm, "model_name engine", model, 32, "ray_vllm_num_requests_running ray_vllm_num_requests_waiting ray_vllm_num_requests_swapped ray_vllm_nixl_num_failed_transfers"},
		{scrapedHistogram, rayCore, sglang, "model_name application deployment", served, 1, "ray_sglang_e2e_request_latency_seconds ray_sglang_time_to_first_token_seconds ray_sglang_inter_token_latency_seconds ray_sglang_queue_time_seconds"},
		{scrapedHistogram, rayCore, sglang, "model_name application deployment", served, 2000, "ray_sglang_prompt_tokens_histogram ray_sglang_generation_tokens_histogram"},
		{scrapedCounter, rayCore, sglang, "model_name application deployment", served, 2000, "ray_sglang_prompt_tokens_total ray_sglang_generation_tokens_total ray_sglang_num_aborted_requests_total"},
		{scrapedGauge, rayCore, sglang, "model_name application deployment", served, 32, "ray_sglang_num_running_reqs ray_sglang_num_queue_reqs ray_sglang_num_paused_reqs"},
		{scrapedGauge, rayCore, sglang, "model_name application deployment", served, 1, "ray_sglang_token_usage ray_sglang_cache_hit_rate"},
	}
}

// rayFamilies are the families of all groups. Their scenarios feed them, because workers come and go.
func rayFamilies() (families []family) {
	for _, g := range rayGroups {
		labels := slices.Concat(g.common, strings.Fields(g.ids), strings.Fields(g.labels))
		families = append(families, alike(g.kind, labels, nil, g.scale, g.names)...)
	}
	return families
}

// rayWorker is a process of Ray.
type rayWorker map[string]string

// newRayWorker returns the worker that has a place of a node in the nth round. Replicas stay.
func newRayWorker(place, round int) rayWorker {
	n := 100*place + round
	return rayWorker{
		"WorkerId": hexOf(n, 56), "JobId": fmt.Sprintf("%02d000000", round+1), "job_id": fmt.Sprintf("%02d000000", round+1),
		"actor_id": hexOf(n+1000, 24) + "01000000", "handle": "Orders#" + hexOf(n+2000, 8), "pid": strconv.Itoa(17000 + n),
		"node_id": hexOf(place+3000, 56), "replica": hexOf(place+4000, 8), "ReplicaId": hexOf(place+4000, 8), "replica_id": hexOf(n+5000, 8),
		"start_time": strconv.Itoa(1795446700 + n),
	}
}

// rayPlaces is how many workers a node has at a time.
const rayPlaces = 2

// expose adds a round of all workers to the page.
func (run *keptRun) exposeRay() {
	for place := range rayPlaces {
		// Each round ends one worker.
		run.exposeRayWorker(newRayWorker(place, (run.scenarios+place)/rayPlaces))
	}
}

func (run *keptRun) exposeRayWorker(worker rayWorker) {
	i := 0
	for _, g := range rayGroups {
		var common []string
		for _, label := range g.common {
			common = append(common, rayCommon[label])
		}
		for _, label := range strings.Fields(g.ids) {
			common = append(common, worker[label])
		}
		for range strings.Fields(g.names) {
			f := run.families[i]
			i++
			for _, values := range g.values {
				step := between(run.rng, 0, f.scale)
				if f.scale > 1 {
					step = float64(int(step) + 1)
				}
				run.metrics.feed(f, step, slices.Concat(common, values))
			}
		}
	}
}
