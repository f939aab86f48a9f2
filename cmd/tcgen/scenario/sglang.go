// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// sglang is SGLang 0.5.23: a prefill and a decode instance, each with two data-parallel ranks. The page is that of the
// decode instance.
var sglang = keptSystem{name: "sglang", families: sglangFamilies(), bounds: sglangBounds, next: nextSGLang}

// sglangBounds are those of sglang/srt/observability/metrics_collector.py.
var sglangBounds = func() map[string][]float64 {
	first := []float64{0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400}
	token := []float64{0.002, 0.004, 0.006, 0.008, 0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.06, 0.08, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8}
	return map[string][]float64{
		"sglang:time_to_first_token_seconds":           first,
		"sglang:e2e_request_latency_seconds":           slices.Concat(first, []float64{600, 1200, 1800, 2400}),
		"sglang:inter_token_latency_seconds":           token,
		"sglang:request_time_per_output_token_seconds": token,
		"sglang:kv_transfer_speed_gb_s":                {0.1, 0.5, 1, 5, 10, 25, 50, 100, 200, 400},
		"sglang:kv_transfer_latency_ms":                {1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000},
		"sglang:kv_transfer_total_mb":                  {1, 5, 10, 50, 100, 500, 1000, 5000, 10000},
	}
}()

func sglangFamilies() []family {
	server := combined(one("deepseek-ai/DeepSeek-V3.2"), one("decode"))
	ranks := combined(server, one("0"), one("0"), one("0"), numbered("%d", 2))
	of := func(kind familyKind, base []string, values [][]string, scale float64, names string, more ...any) []family {
		labels := slices.Clone(base)
		for i := 0; i < len(more); i += 2 {
			labels, values = append(labels, more[i].(string)), combined(values, one(more[i+1].([]string)...))
		}
		return alike(kind, labels, values, scale, names)
	}
	scheduler := func(kind familyKind, scale float64, names string, more ...any) []family {
		return of(kind, strings.Fields("model_name engine_type tp_rank pp_rank moe_ep_rank dp_rank"), ranks, scale, names, more...)
	}
	tokenizer := func(kind familyKind, scale float64, names string, more ...any) []family {
		return of(kind, strings.Fields("model_name engine_type"), server, scale, names, more...)
	}
	streaming := []string{"true", "false"}
	return slices.Concat(
		scheduler(scrapedGauge, 64, `sglang:num_running_reqs sglang:num_queue_reqs sglang:num_grammar_queue_reqs
			sglang:num_retracted_reqs sglang:num_paused_reqs sglang:num_prefill_bootstrap_queue_reqs
			sglang:num_prefill_inflight_queue_reqs sglang:num_decode_prealloc_queue_reqs sglang:num_decode_transfer_queue_reqs`),
		scheduler(scrapedGauge, 4000, `sglang:gen_throughput sglang:decode_sum_seq_lens sglang:num_used_tokens
			sglang:kv_available_tokens sglang:kv_evictable_tokens sglang:kv_used_tokens sglang:swa_available_tokens
			sglang:swa_evictable_tokens sglang:swa_used_tokens sglang:max_total_num_tokens sglang:max_running_requests_under_SLO
			sglang:page_size sglang:num_pages sglang:context_len`),
		scheduler(scrapedGauge, 1, `sglang:cache_hit_rate sglang:token_usage sglang:full_token_usage sglang:swa_token_usage
			sglang:mamba_usage sglang:pending_prealloc_token_usage sglang:spec_accept_length sglang:spec_accept_rate
			sglang:utilization sglang:fwd_occupancy sglang:new_token_ratio sglang:is_cuda_graph sglang:lora_pool_slots_used
			sglang:lora_pool_slots_total sglang:lora_pool_utilization`),
		scheduler(scrapedGauge, 80, "sglang:weight_memory_usage_gb sglang:kv_cache_memory_usage_gb sglang:startup_available_gpu_memory_gb"),
		scheduler(scrapedCounter, 2, `sglang:num_retracted_requests_total sglang:num_retracted_input_tokens_total
			sglang:num_retracted_output_tokens_total sglang:num_bootstrap_failed_reqs_total sglang:num_transfer_failed_reqs_total
			sglang:num_prefill_retries_total sglang:num_grammar_cache_hit_total sglang:num_grammar_aborted_total
			sglang:num_grammar_timeout_total sglang:num_grammar_total sglang:scheduler_idle_seconds_total sglang:evicted_tokens_total`),
		scheduler(scrapedCounter, 20, "sglang:cuda_graph_passes_total", "mode", []string{"decode_cuda_graph", "decode_none", "prefill_none"}),
		scheduler(scrapedCounter, 4000, "sglang:realtime_tokens_total", "mode", []string{"prefill_compute", "prefill_cache", "decode"}),
		scheduler(scrapedHistogram, 1, "sglang:queue_time_seconds sglang:grammar_compilation_time_seconds sglang:eviction_duration_seconds sglang:load_back_duration_seconds"),
		scheduler(scrapedHistogram, 1, "sglang:per_stage_req_latency_seconds", "stage",
			[]string{"decode_prepare", "decode_bootstrap", "decode_waiting", "decode_transferred", "prefill_forward", "request_process"}),
		scheduler(scrapedHistogram, 400, "sglang:kv_transfer_speed_gb_s sglang:kv_transfer_latency_ms sglang:kv_transfer_total_mb"),
		tokenizer(scrapedCounter, 4000, "sglang:prompt_tokens_total sglang:generation_tokens_total", "is_streaming", streaming),
		tokenizer(scrapedCounter, 1000, "sglang:cached_tokens_total", "cache_source", []string{"device", "host"}),
		tokenizer(scrapedCounter, 4, "sglang:num_requests_total", "is_streaming", streaming),
		tokenizer(scrapedCounter, 1, "sglang:num_so_requests_total sglang:num_aborted_requests_total sglang:spec_verify_calls_total"),
		tokenizer(scrapedHistogram, 4000, "sglang:prompt_tokens_histogram sglang:uncached_prompt_tokens_histogram sglang:generation_tokens_histogram"),
		tokenizer(scrapedHistogram, 1, "sglang:time_to_first_token_seconds sglang:e2e_request_latency_seconds", "is_streaming", streaming),
		tokenizer(scrapedHistogram, 0.1, "sglang:request_time_per_output_token_seconds", "is_streaming", streaming),
		tokenizer(scrapedHistogram, 0.1, "sglang:inter_token_latency_seconds sglang:get_loads_duration_seconds"),
		alike(scrapedCounter, strings.Fields("endpoint method"), combined(one("/v1/chat/completions", "/generate"), one("POST")), 4, "sglang:http_requests_total"),
		alike(scrapedCounter, strings.Fields("endpoint status_code method"), combined(one("/v1/chat/completions", "/generate"), one("200", "400"), one("POST")), 4, "sglang:http_responses_total"),
		alike(scrapedGauge, strings.Fields("endpoint method"), combined(one("/v1/chat/completions", "/generate"), one("POST")), 8, "sglang:http_requests_active"),
		alike(scrapedGauge, nil, unlabelled, 8, "sglang:routing_keys_active"),
		alike(scrapedCounter, []string{"component"}, one("tokenizer", "scheduler", "detokenizer"), 2, "sglang:process_cpu_seconds_total"),
	)
}

// nextSGLang sends a split request, whose halves are two traces with one room, and what the decode instance writes.
func nextSGLang(run *keptRun) {
	room := fmt.Sprintf("%#x", run.rng.Int64())
	run.sglangRequest("prefill", room, 100, 600)
	request, rid := run.sglangRequest("decode", room, 150, 1700)

	write := func(ms int, span SpanRef, rank, text string) {
		at := run.at(ms).UTC().Format("2006-01-02 15:04:05")
		run.write("sglang.log", ms, span, StatesNothing, fmt.Sprintf("[%s%s] %s", at, rank, text))
	}
	write(50, root, " DP0 TP0", "Prefill batch, #new-seq: 1, #new-token: 812, #cached-token: 128, token usage: 0.02, #running-req: 3, #queue-req: 0, #pending-token: 0, ")
	write(200, root, " DP1 TP1", "Decode batch, #running-req: 4, #token: 3812, token usage: 0.04, cuda graph: True, gen throughput (token/s): 312.08, #queue-req: 0, ")
	// --log-requests at the levels 2 and 0, as text and in JSON.
	asked := "GenerateReqInput(rid='" + rid + "', session_id=None, text=" + contentInPython + ", input_ids=" + contentTokens + ", stream=False)"
	write(160, request, "", "Receive: obj="+asked+", headers={'x-smg-routing-key': 'shop'}")
	write(161, request, "", "Receive OpenAI: obj={'messages': [{'role': 'user', 'content': "+contentInPython+"}], 'model': 'deepseek-ai/DeepSeek-V3.2'}")
	write(1690, request, "", "Finish: obj="+asked+", out={'text': "+contentInPython+", 'output_ids': "+contentTokens+", 'meta_info': {'id': '"+rid+"'}}")
	write(1691, request, "", "Finish: obj=GenerateReqInput(rid='"+rid+"', stream=False), out={'meta_info': {'id': '"+rid+"', 'finish_reason': {'type': 'stop', 'matched': 106}, 'e2e_latency': 1.53}}")
	write(1692, request, "", `{"timestamp": "2026-11-22T10:00:00.000001", "event": "request.finished", "rid": "`+rid+`", "obj": {"rid": "`+rid+`", "text": `+asJSON(Content)+`}, "out": {"text": `+asJSON(Content)+`, "output_ids": `+contentTokens+`}}`)
	write(300, root, "", `INFO:     10.0.0.12:52818 - "POST /v1/chat/completions HTTP/1.1" 200 OK`)
	if run.scenarios%4 == 1 {
		write(700, request, " DP0 TP0", "Abort running request. req.rid='"+rid+"'")
		write(800, root, " DP0 TP0", strings.Join([]string{
			"Scheduler hit an exception: Traceback (most recent call last):", `  File "/sgl-workspace/sglang/python/sglang/srt/managers/scheduler.py", line 6310, in run_scheduler_process`,
			"    scheduler.event_loop_overlap()", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
		}, "\n"))
	}
}

// sglangRequest sends the spans of one half of a request, and returns the root and the id of the request.
func (run *keptRun) sglangRequest(role, room string, from, to int) (SpanRef, string) {
	rid, host := randomHex(run.rng, 32), randomHex(run.rng, 32)
	traces := run.process("service.name", "sglang").tracer("sglang server")
	request := traces.span(role+" Req "+rid[:8], internal, root, from, to, "rid", rid, "module", "sglang::request", "bootstrap_room", room,
		"gen_ai.usage.prompt_tokens", 940, "gen_ai.usage.completion_tokens", 212, "gen_ai.usage.cached_tokens", 128, "gen_ai.request.id", rid,
		"gen_ai.request.max_tokens", 1024, "gen_ai.request.temperature", 0.6, "gen_ai.response.model", "deepseek-ai/DeepSeek-V3.2",
		"gen_ai.response.finish_reasons", `["stop"]`, "gen_ai.latency.e2e", between(run.rng, 1, 20)).ref()
	thread := traces.span(fmt.Sprintf("Scheduler [TP 0] [DP 0] (host:%s | pid:%d)", host[:8], 4711), internal, request, from+10, to-10,
		"tp_rank", 0, "dp_rank", 0, "host_id", host, "pid", 4711, "thread_label", "Scheduler").ref()
	traces.span(role+"_forward", internal, thread, from+20, to-20)
	return request, rid
}
