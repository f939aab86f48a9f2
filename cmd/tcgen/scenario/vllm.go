// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// vllm is a server of vLLM 0.33: an API server, two data-parallel engines, adapters of one model, a drafter for
// speculative decoding, and KV transfer over NIXL.
var vllm = keptSystem{name: "vllm", families: vllmFamilies(), bounds: vllmBounds, next: nextVLLM}

const vllmModel = "Qwen/Qwen3-32B"

var vllmAdapters = []string{"sql-lora", "chat-lora", "legal-lora", "medical-lora", "support-lora"}

// vllmBounds are those of vllm/v1/metrics/buckets.py.
var vllmBounds = func() map[string][]float64 {
	bounds := map[string][]float64{
		"vllm:time_to_first_token_seconds": {0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560},
		"vllm:iteration_tokens_total":      {1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384},
		"vllm:request_params_n":            {1, 2, 5, 10, 20},
		"vllm:request_num_preemptions":     {1, 2, 3, 4, 5, 10, 20},
		"vllm:nixl_bytes_transferred":      {2 << 10, 8 << 10, 32 << 10, 128 << 10, 512 << 10, 2 << 20, 8 << 20, 32 << 20},
		"http_request_duration_seconds":    {0.1, 0.5, 1},
		"vllm:nixl_num_descriptors":        {10, 20, 30, 50, 75, 100, 200, 400, 1000, 2000, 4000, 10000},
	}
	for _, name := range []string{"e2e_request_latency", "request_queue_time", "request_inference_time", "request_prefill_time", "request_decode_time"} {
		bounds["vllm:"+name+"_seconds"] = []float64{0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680}
	}
	for _, name := range []string{"inter_token_latency", "request_time_per_output_token"} {
		bounds["vllm:"+name+"_seconds"] = []float64{0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80}
	}
	for _, name := range []string{"kv_block_lifetime", "kv_block_idle_before_evict", "kv_block_reuse_gap"} {
		bounds["vllm:"+name+"_seconds"] = []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800}
	}
	return bounds
}()

func vllmFamilies() []family {
	model, engines := one(vllmModel), numbered("%d", 2)
	with := func(kind familyKind, scale float64, names string, more ...any) []family {
		labels, values := strings.Fields("model_name engine"), combined(model, engines)
		for i := 0; i < len(more); i += 2 {
			labels, values = append(labels, more[i].(string)), combined(values, one(more[i+1].([]string)...))
		}
		return alike(kind, labels, values, scale, names)
	}
	return slices.Concat(
		with(scrapedGauge, 64, "vllm:num_requests_running vllm:num_requests_waiting"),
		with(scrapedGauge, 16, "vllm:num_requests_waiting_by_reason", "reason", []string{"capacity", "deferred"}),
		with(scrapedGauge, 8, "vllm:num_requests_kv_fetch_by_stage", "stage", []string{"waiting_to_start", "in_progress", "completed_waiting"}),
		with(scrapedGauge, 1, "vllm:engine_sleep_state", "sleep_state", []string{"awake", "weights_offloaded", "discard_all"}),
		with(scrapedGauge, 1, "vllm:kv_cache_usage_perc"),
		with(scrapedCounter, 4000, `vllm:prefix_cache_queries_total vllm:prefix_cache_hits_total
			vllm:external_prefix_cache_queries_total vllm:external_prefix_cache_hits_total vllm:prompt_tokens_total
			vllm:prompt_tokens_cached_total vllm:generation_tokens_total`),
		with(scrapedCounter, 4, "vllm:mm_cache_queries_total vllm:mm_cache_hits_total vllm:num_preemptions_total"),
		with(scrapedCounter, 2000, "vllm:prompt_tokens_by_source_total", "source", []string{"local_compute", "local_cache_hit", "external_kv_transfer"}),
		with(scrapedCounter, 2000, "vllm:prompt_tokens_cached_by_source_total", "source", []string{"device", "host", "p2p", "disk", "external_unspecified"}),
		with(scrapedCounter, 4, "vllm:request_success_total", "finished_reason", []string{"stop", "length", "abort", "error", "repetition"}),
		alike(scrapedCounter, strings.Fields("model_name reason"), combined(model, one("max_num_queued_reqs", "max_num_queued_tokens")), 2, "vllm:admission_rejections_total"),
		with(scrapedHistogram, 2000, `vllm:request_prompt_tokens vllm:request_generation_tokens vllm:iteration_tokens_total
			vllm:request_max_num_generation_tokens vllm:request_params_max_tokens vllm:request_prefill_kv_computed_tokens`),
		with(scrapedHistogram, 4, "vllm:request_params_n vllm:request_num_preemptions"),
		with(scrapedHistogram, 1, `vllm:time_to_first_token_seconds vllm:e2e_request_latency_seconds vllm:request_queue_time_seconds
			vllm:request_inference_time_seconds vllm:request_prefill_time_seconds vllm:request_decode_time_seconds
			vllm:kv_block_lifetime_seconds vllm:kv_block_idle_before_evict_seconds vllm:kv_block_reuse_gap_seconds`),
		with(scrapedHistogram, 0.1, "vllm:inter_token_latency_seconds vllm:request_time_per_output_token_seconds"),
		with(scrapedCounter, 100, "vllm:spec_decode_num_drafts_total vllm:spec_decode_num_draft_tokens_total vllm:spec_decode_num_accepted_tokens_total"),
		with(scrapedCounter, 100, "vllm:spec_decode_num_accepted_tokens_per_pos_total", "position", []string{"0", "1", "2"}),
		with(scrapedHistogram, 0.5, "vllm:nixl_xfer_time_seconds vllm:nixl_post_time_seconds"),
		with(scrapedHistogram, 1e6, "vllm:nixl_bytes_transferred"),
		with(scrapedHistogram, 1000, "vllm:nixl_num_descriptors"),
		with(scrapedCounter, 1, `vllm:nixl_num_failed_transfers_total vllm:nixl_num_failed_notifications_total
			vllm:nixl_num_kv_expired_reqs_total vllm:nixl_num_notifications_after_expiry_total`),
		with(scrapedCounter, 1e12, "vllm:estimated_flops_per_gpu_total vllm:estimated_read_bytes_per_gpu_total vllm:estimated_write_bytes_per_gpu_total"),
		// The first settings of the cache; the page has them all.
		alike(scrapedInfo, strings.Fields("block_size cache_dtype enable_prefix_caching engine gpu_memory_utilization num_gpu_blocks prefix_caching_hash_algo swap_space"),
			combined(one("16"), one("auto"), one("True"), engines, one("0.9"), one("29174"), one("sha256"), one("4")), 0, "vllm:cache_config_info"),
		// Fed by nextVLLM: its labels list the adapters.
		alike(scrapedGauge, strings.Fields("max_lora waiting_lora_adapters running_lora_adapters"), nil, 0, "vllm:lora_requests_info"),
		// Of prometheus_fastapi_instrumentator, which groups routes that it does not know.
		alike(scrapedCounter, strings.Fields("handler method status"), combined(one("/v1/chat/completions", "/v1/completions", "none"), one("POST"), one("2xx", "4xx")), 4, "http_requests_total"),
		alike(scrapedHistogram, strings.Fields("handler method"), combined(one("/v1/chat/completions", "/v1/completions"), one("POST")), 1, "http_request_duration_seconds"),
		alike(scrapedHistogram, nil, unlabelled, 1, "http_request_duration_highr_seconds"),
		alike(scrapedGauge, nil, unlabelled, 4e10, "process_virtual_memory_bytes process_resident_memory_bytes process_open_fds"),
		alike(scrapedCounter, nil, unlabelled, 2, "process_cpu_seconds_total"),
		alike(scrapedCounter, []string{"generation"}, numbered("%d", 3), 40, "python_gc_objects_collected_total python_gc_collections_total"),
	)
}

// nextVLLM sends a request: its span, what its processes write into one stream, and the adapters that run.
func nextVLLM(run *keptRun) {
	run.metrics.set("vllm:lora_requests_info", float64(run.now.Unix()), "4", adaptersOf(run), adaptersOf(run))
	id := "chatcmpl-" + randomHex(run.rng, 32)
	prompt, output := 40+run.rng.IntN(4000), 10+run.rng.IntN(800)
	request := run.process("service.name", "vllm-qwen3", "vllm.instrumenting_module_name", "vllm.llm_engine", "vllm.process_id", "1").
		tracer("vllm.tracing.otel").span("llm_request", server, root, 100, 1700,
		"gen_ai.latency.time_to_first_token", between(run.rng, 0.05, 1), "gen_ai.latency.e2e", between(run.rng, 1, 20),
		"gen_ai.latency.time_in_queue", between(run.rng, 0, 0.5), "gen_ai.usage.prompt_tokens", prompt, "gen_ai.usage.completion_tokens", output,
		"gen_ai.latency.time_in_model_prefill", between(run.rng, 0.05, 0.5), "gen_ai.latency.time_in_model_decode", between(run.rng, 1, 18),
		"gen_ai.latency.time_in_model_inference", between(run.rng, 1, 19), "gen_ai.request.id", id,
		"gen_ai.request.top_p", 0.95, "gen_ai.request.max_tokens", 2048, "gen_ai.request.temperature", 0.7, "gen_ai.request.n", 1).ref()

	api, engine := vllmWriter{run, "APIServer", 1}, vllmWriter{run, fmt.Sprintf("EngineCore_DP%d", run.scenarios%2), 271 + run.scenarios%2}
	api.line(100, request, "INFO", "request_logger.py", 66, "Received request "+id+": params: SamplingParams(n=1, temperature=0.7, top_p=0.95, max_tokens=2048), lora_request: None.")
	api.line(110, request, "INFO", "async_llm.py", 587, "Added request "+id+"-"+randomHex(run.rng, 8)+".")
	// --enable-log-requests and --enable-log-outputs, at the level DEBUG, and what versions before 0.10 wrote.
	requests, tokens, asked := "entrypoints/.../utils/request_logger.py", ", prompt_token_ids: "+contentTokens, contentInPython
	api.line(101, request, "DEBUG", requests, 66, "Request "+id+" details: prompt: "+asked+tokens+", prompt_embeds shape: None.")
	api.line(102, request, "DEBUG", requests, 90, "Request "+id+` JSON body: {"model":"qwen3","messages":[{"role":"user","content":`+asJSON(Content)+"}]}")
	api.line(1702, request, "DEBUG", requests, 115, "Generated response "+id+" details: output_token_ids: "+contentTokens)
	api.line(1703, request, "INFO", requests, 122, "Generated response "+id+": output: "+asked+", finish_reason: stop")
	api.line(1704, root, "INFO", "log_response.py", 141, `response_body={{"id":"x","choices":[{"message":{"content":`+asJSON(Content)+"}}]}}")
	api.line(1705, root, "DEBUG", "tool_parsers/deepseekv3_tool_parser.py", 142, "delta_text: "+Content)
	old := vllmWriter{run, "", 0}
	old.line(1710, root, "INFO", "logger.py", 43, "Received request chatcmpl-"+randomHex(run.rng, 32)+": prompt: "+asked+", params: SamplingParams(n=1)"+tokens+", lora_request: None.")
	engine.line(120, root, "INFO", "scheduler.py", 1840, "Waiting: 0 reqs")
	if run.scenarios == 0 {
		engine.line(90, root, "INFO", "gpu_model_runner.py", 4966, "Starting to load model "+vllmModel+"...")
		// tqdm draws over its line, which has no prefix.
		run.write(vllmLog, 95, root, StatesNothing, progress("Loading safetensors checkpoint shards", 4))
	}
	if run.scenarios%4 == 1 {
		engine.line(600, root, "ERROR", "core.py", 1100, strings.Join([]string{
			"EngineCore encountered a fatal error.", "Traceback (most recent call last):", `  File "/opt/vllm/v1/engine/core.py", line 1099, in run_engine_core`,
			"    engine_core.run_busy_loop()", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
			"For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
		}, "\n"))
	}
	run.write(vllmLog, 900, root, StatesNothing, `INFO:     10.0.0.12:52818 - "POST /v1/chat/completions HTTP/1.1" 200 OK`)
	api.line(1800, root, "INFO", "loggers.py", 271, fmt.Sprintf("Engine 000: Avg prompt throughput: %d.0 tokens/s, Avg generation throughput: %d.0 tokens/s, Running: 3 reqs, Waiting: 0 reqs, GPU KV cache usage: 12.4%%, Prefix cache hit rate: 41.0%%", prompt, output))
}

func adaptersOf(run *keptRun) string {
	var adapters []string
	for _, adapter := range vllmAdapters {
		if run.rng.IntN(2) == 0 {
			adapters = append(adapters, adapter)
		}
	}
	return strings.Join(adapters, ",")
}

// progress is a bar of tqdm that reached its end.
func progress(what string, steps int) string {
	var b strings.Builder
	for i := range steps + 1 {
		fmt.Fprintf(&b, "\r%s: %3d%% Completed | %d/%d [00:%02d<00:%02d,  1.05it/s]", what, 100*i/steps, i, steps, i, steps-i)
	}
	return b.String()
}

// vllmLog is what the processes of a server write to: their standard output.
const vllmLog = "vllm.log"

// vllmWriter writes the lines of one process.
type vllmWriter struct {
	run  *keptRun
	name string
	pid  int
}

// line writes a message. Each line of it has the header, and all but the last end in "\r\n", as NewLineFormatter
// writes them.
func (w vllmWriter) line(ms int, span SpanRef, severity, file string, line int, message string) {
	head := fmt.Sprintf("%s %s [%s:%d] ", severity, w.run.at(ms).UTC().Format("01-02 15:04:05"), file, line)
	if w.name != "" {
		head = fmt.Sprintf("(%s pid=%d) %s", w.name, w.pid, head)
	}
	w.run.write(vllmLog, ms, span, StatesNothing, head+strings.ReplaceAll(message, "\n", "\r\n"+head))
}
