// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
)

// lmcache is an engine with LMCache inside (lmcache:*) and an LMCache server (lmcache_mp_*), whose names have the
// units that OpenTelemetry's exporter appends, on one page.
var lmcache = keptSystem{name: "lmcache", families: lmcacheFamilies(), next: nextLMCache}

func lmcacheFamilies() []family {
	labels := []string{"model_name", "worker_id", "role", "served_model_name"}
	const name = "meta-llama/Llama-3.1-8B-Instruct"
	workers := [][]string{{name, "0", "worker", "llama"}, {name, "1", "worker", "llama"}, {name, "0", "scheduler", "llama"}}
	inside := func(kind familyKind, scale float64, names string) []family {
		families := alike(kind, labels, workers, scale, names)
		for i := range families {
			families[i].name = "lmcache:" + families[i].name
			if kind == scrapedCounter {
				families[i].name += "_total"
			}
		}
		return families
	}
	server := func(kind familyKind, labels []string, values [][]string, scale float64, names string) []family {
		families := alike(kind, labels, values, scale, names)
		for i := range families {
			families[i].name = "lmcache_mp_" + families[i].name
		}
		return families
	}
	adapter, adapters := []string{"l2_name"}, one("redis-0", "fs-0")
	device, devices := []string{"device"}, one("cuda:0", "cuda:1")
	tenant := []string{"model_name", "cache_salt"}
	return slices.Concat(
		inside(scrapedCounter, 900, `num_retrieve_requests num_store_requests num_lookup_requests num_requested_tokens num_hit_tokens num_stored_tokens
			num_lookup_tokens num_lookup_hits num_vllm_hit_tokens num_prompt_tokens num_remote_read_requests num_remote_read_bytes num_remote_write_requests
			num_remote_write_bytes local_cpu_evict_count local_cpu_evict_keys_count local_cpu_evict_failed_count forced_unpin_count lookup_0_hit_requests
			num_slow_retrieval_by_time num_slow_retrieval_by_speed remote_ping_errors remote_ping_successes`),
		inside(scrapedGauge, 1, "retrieve_hit_rate lookup_hit_rate remote_ping_latency chunk_statistics_reuse_rate chunk_statistics_bloom_filter_fill_rate lmcache_is_healthy"),
		inside(scrapedGauge, 5e9, "local_cache_usage remote_cache_usage local_storage_usage chunk_statistics_current_file_size"),
		inside(scrapedGauge, 300, `active_memory_objs_count pinned_memory_objs_count remote_ping_error_code local_cpu_hot_cache_count local_cpu_keys_in_request_count
			kv_msg_queue_size remote_put_task_num pin_monitor_pinned_objects_count get_blocking_failed_count put_failed_count
			storage_events_ongoing_count storage_events_done_count storage_events_not_found_count chunk_statistics_enabled chunk_statistics_total_requests
			chunk_statistics_total_chunks chunk_statistics_unique_chunks chunk_statistics_bloom_filter_size_mb chunk_statistics_file_count
			scheduler_unfinished_requests_count connector_load_specs_count connector_request_trackers_count connector_kv_caches_count
			connector_layerwise_retrievers_count connector_invalid_block_ids_count connector_requests_priority_count
			periodic_threads_total_count periodic_threads_running_count periodic_threads_active_count
			periodic_threads_critical_total periodic_threads_critical_running periodic_threads_critical_active
			periodic_threads_high_total periodic_threads_high_running periodic_threads_high_active
			periodic_threads_medium_total periodic_threads_medium_running periodic_threads_medium_active
			periodic_threads_low_total periodic_threads_low_running periodic_threads_low_active`),
		inside(scrapedHistogram, 1, `time_to_retrieve time_to_store time_to_lookup retrieve_process_tokens_time retrieve_broadcast_time retrieve_to_gpu_time
			remote_backend_batched_get_blocking_time instrumented_connector_batched_get_time store_process_tokens_time store_from_gpu_time store_put_time
			p2p_time_to_transfer request_cache_hit_rate`),
		inside(scrapedHistogram, 50000, "retrieve_speed store_speed p2p_transfer_speed remote_time_to_get remote_time_to_put remote_time_to_get_sync request_cache_lifespan"),
		server(scrapedCounter, nil, unlabelled, 90, `l1_read_chunks_total l1_write_chunks_total l1_evicted_chunks_total l1_allocation_failure_chunks_total l1_read_failure_chunks_total
			l1_eviction_loop_ticks_total l1_eviction_loop_triggered_total l2_store_submitted_requests_total l2_store_submitted_objects_chunks_total
			l2_prefetch_lookup_requests_total l2_prefetch_lookup_objects_chunks_total l2_prefetch_load_submitted_requests_total
			l2_prefetch_load_submitted_objects_chunks_total l2_prefetch_load_completed_chunks_total l2_prefetch_failure_chunks_total l2_evicted_objects_chunks_total
			event_bus_dropped_events_total num_chunks_loaded_total`),
		server(scrapedCounter, []string{"subscriber_name"}, one("L1MetricsSubscriber"), 1, "event_bus_subscriber_exceptions_total"),
		server(scrapedCounter, adapter, adapters, 90, "l2_store_completed_requests_total l2_store_completed_objects_chunks_total l2_load_completed_requests_total"),
		server(scrapedCounter, device, devices, 20, "num_submitted_stores_total num_finished_stores_total num_submitted_retrieves_total num_finished_retrieves_total"),
		// One series for each tenant's salt.
		server(scrapedCounter, tenant, nil, 0, "lookup_requested_tokens_total lookup_hit_tokens_total lookup_hit_l1_tokens_total lookup_hit_l2_tokens_total lookups_requests_total"),
		server(scrapedGauge, nil, unlabelled, 1, "l1_usage_ratio event_bus_drain_lag_seconds"),
		server(scrapedGauge, nil, unlabelled, 5e9, "l1_memory_usage_bytes l1_staging_bytes"),
		server(scrapedGauge, nil, unlabelled, 90, "event_bus_queue_depth active_prefetch_jobs l2_store_adapters l2_prefetch_adapters"),
		server(scrapedGauge, adapter, adapters, 1e9, "num_inflight_l2_stores num_inflight_l2_loads inflight_load_memory_usage_bytes l2_usage_bytes"),
		server(scrapedHistogram, device, devices, 1, "l0_l1_store_throughput_GB_per_second l0_l1_load_throughput_GB_per_second"),
		server(scrapedHistogram, adapter, adapters, 1, "l2_store_throughput_GB_per_second l2_load_throughput_GB_per_second"),
		server(scrapedHistogram, nil, unlabelled, 1, "l0_block_lifetime_seconds l0_block_idle_before_evict_seconds l1_chunk_lifetime_seconds l1_chunk_reuse_gap_seconds real_reuse_gap_seconds"),
	)
}

// nextLMCache sends the trace of one request at the server, and writes the lines of an engine's cache, in colour.
func nextLMCache(run *keptRun) {
	salt := randomHex(run.rng, 16)
	for _, name := range []string{"lookup_requested_tokens_total", "lookup_hit_tokens_total", "lookup_hit_l1_tokens_total", "lookup_hit_l2_tokens_total", "lookups_requests_total"} {
		run.metrics.add("lmcache_mp_"+name, 512, "meta-llama/Llama-3.1-8B-Instruct", salt)
	}
	id := "cmpl-" + randomUUID(run.rng) + "-0"
	tracer := run.process("service.name", "lmcache-server").tracer("lmcache_mp.server")
	request := tracer.span("request", internal, root, 100, 600, "session_id", id)
	tracer.span("mp.lookup_prefetch", internal, request.ref(), 101, 200, "session_id", id)
	tracer.span("mp.retrieve", internal, request.ref(), 210, 400, "session_id", id)

	write := func(ms int, colour, level, message, file string, line int, logger, after string) {
		run.write("lmcache.log", ms, root, StatesNothing, fmt.Sprintf("\x1b[%sm[%s] LMCache %s:\x1b[0m %s \x1b[3m(%s:%d:%s)\x1b[0m%s",
			colour, run.at(ms).UTC().Format("2006-01-02 15:04:05,000"), level, message, file, line, logger, after))
	}
	write(10, "32;20", "INFO", "Creating LMCacheEngine with config: {'chunk_size': 256, 'local_cpu': True (default)}", "cache_engine.py", 109, "lmcache.v1.cache_engine", "")
	write(400, "32;20", "INFO", "[req_id="+id+"] Retrieved 512 out of 512 required tokens (from 600 total tokens). size: 0.0625 gb, cost 2.1000 ms, throughput: 29.7619 GB/s;",
		"cache_engine.py", 985, "lmcache.v1.cache_engine", "")
	write(500, "33;20", "WARNING", "Storage backends:\n  LocalCPUBackend\n  RemoteBackend \"redis\"", "storage_manager.py", 231, "lmcache.v1.storage_backend.storage_manager", "")
	if run.scenarios%3 == 1 {
		write(600, "31;20", "ERROR", "Failed to connect to remote backend", "redis_connector.py", 77, "lmcache.v1.storage_backend.connector.redis_connector",
			"\nTraceback (most recent call last):\n  File \"redis_connector.py\", line 71, in __init__\nredis.exceptions.ConnectionError: Error 111 connecting to redis:6379. (Connection refused)")
	}
}
