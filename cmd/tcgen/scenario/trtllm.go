// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
)

// trtllm is trtllm-serve, TensorRT-LLM's own server.
var trtllm = keptSystem{name: "trtllm", families: trtllmFamilies(), bounds: map[string][]float64{
	"trtllm_prompt_cached_tokens_per_request": {0, 64, 128, 256, 512, 1024, 2048, 4096, 8192},
	"trtllm_prefill_batch_tokens":             {64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768},
}, created: true, next: nextTRTLLM}

func trtllmFamilies() []family {
	labels := []string{"model_name", "engine_type"}
	engine := [][]string{{"meta-llama/Llama-3.1-8B-Instruct", "trtllm"}}
	with := func(kind familyKind, scale float64, names, label string, values ...string) []family {
		return alike(kind, append(slices.Clone(labels), label), combined(engine, one(values...)), scale, names)
	}
	return slices.Concat(
		with(scrapedCounter, 4, "trtllm_request_success_total", "finished_reason", "stop", "length", "cancelled"),
		with(scrapedCounter, 1, "trtllm_request_error_total", "http_code", "400", "500"),
		alike(scrapedHistogram, labels, engine, 2, `trtllm_e2e_request_latency_seconds trtllm_time_to_first_token_seconds trtllm_request_queue_time_seconds
			trtllm_request_prefill_time_seconds trtllm_request_decode_time_seconds trtllm_request_inference_time_seconds`),
		alike(scrapedHistogram, labels, engine, 0.1, "trtllm_time_per_output_token_seconds"),
		alike(scrapedHistogram, labels, engine, 20, "trtllm_prefill_perplexity trtllm_generation_perplexity"),
		alike(scrapedHistogram, labels, engine, 8000, "trtllm_prompt_cached_tokens_per_request trtllm_prefill_batch_tokens"),
		alike(scrapedCounter, labels, engine, 2000, `trtllm_prompt_tokens_total trtllm_generation_tokens_total trtllm_prompt_cached_tokens_total
			trtllm_kv_cache_reused_blocks_total trtllm_kv_cache_missed_blocks_total trtllm_kv_cache_iter_reused_blocks_total trtllm_kv_cache_iter_full_reused_blocks_total
			trtllm_kv_cache_iter_partial_reused_blocks_total trtllm_kv_cache_iter_missed_blocks_total trtllm_kv_cache_gen_alloc_blocks_total
			trtllm_kv_cache_onboard_bytes_total trtllm_kv_cache_offload_bytes_total trtllm_kv_cache_disk_prefetch_blocks_total
			trtllm_kv_cache_intra_device_copy_bytes_total trtllm_num_requests_completed_total trtllm_spec_decode_num_draft_tokens_total
			trtllm_spec_decode_num_accepted_tokens_total`),
		alike(scrapedCounter, append(slices.Clone(labels), "cache_level", "cache_tier"), combined(engine, [][]string{{"0", "gpu"}, {"1", "host"}}), 900, "trtllm_prompt_cache_hit_tokens_total"),
		with(scrapedCounter, 90, "trtllm_spec_decode_drafted_tokens_total trtllm_spec_decode_accepted_tokens_total", "token_position", "0", "1", "2"),
		alike(scrapedGauge, labels, engine, 1, `trtllm_kv_cache_hit_rate trtllm_kv_cache_utilization trtllm_kv_cache_host_utilization trtllm_kv_cache_iter_reuse_rate
			trtllm_iteration_latency_seconds trtllm_spec_decode_draft_overhead trtllm_prefill_batch_occupancy`),
		alike(scrapedGauge, labels, engine, 64, `trtllm_num_requests_running trtllm_num_requests_waiting trtllm_max_num_active_requests trtllm_max_batch_size_static
			trtllm_max_batch_size_runtime trtllm_max_num_tokens_runtime trtllm_kv_cache_max_blocks trtllm_kv_cache_free_blocks trtllm_kv_cache_used_blocks
			trtllm_kv_cache_tokens_per_block trtllm_num_context_requests trtllm_num_generation_requests trtllm_num_paused_requests trtllm_num_scheduled_requests
			trtllm_total_context_tokens trtllm_avg_decoded_tokens_per_iter trtllm_spec_decode_acceptance_length`),
		alike(scrapedGauge, labels, engine, 8e10, "trtllm_gpu_memory_usage_bytes trtllm_cpu_memory_usage_bytes trtllm_pinned_memory_usage_bytes"),
	)
}

// nextTRTLLM writes the lines of two ranks in Python and of the C++ part, with and without a time.
func nextTRTLLM(run *keptRun) {
	write := func(ms int, format string, args ...any) {
		run.write("trtllm.log", ms, root, StatesNothing, fmt.Sprintf(format, args...))
	}
	at := func(ms int) string { return run.at(ms).UTC().Format("01/02/2006-15:04:05") }
	write(10, "[TensorRT-LLM][INFO] Set logger level to INFO")
	write(20, "[%s] [TRT-LLM] [I] TensorRT-LLM inited.", at(20))
	for rank := range 2 {
		write(100+rank, "[%s] [TRT-LLM] [RANK %d] [I] iter = %d, host_step_time = 50.5ms, num_scheduled_requests: 3, states = {'num_ctx_requests': 2, 'num_ctx_tokens': 16384}", at(100+rank), rank, 100*run.scenarios)
	}
	write(300, "%s [TRT-LLM] [I] [1] Rank 1 is using GPU \"1\"", run.at(300).UTC().Format("01-02-2006 15:04:05.000000"))
	write(400, "[TensorRT-LLM][WARNING][1] gpu_device_ids is not specified, will be automatically set")
	write(500, "[%s] [TRT-LLM] [I] Generating image: image_%s with params: VisualGenParams(height=256) and prompt: %s", at(500), randomHex(run.rng, 32), Content)
	write(510, "[%s] [TRT-LLM] [E] messages_dict: [{'role': 'user', 'content': %s}]", at(510), contentInPython)
	if run.scenarios%3 == 1 {
		write(900, "[%s] [TRT-LLM] [RANK 1] [E] Failed to initialize executor on rank 1: out of memory\nTraceback (most recent call last):\n  File \"worker.py\", line 731, in worker_main\nRuntimeError: out of memory", at(900))
	}
}
