// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
	"strconv"
)

// triton is a Triton Inference Server with a classifier on two GPUs and an ensemble around a model of the
// TensorRT-LLM backend, with --metrics-config histogram_latencies=true. Its counters have no _total.
var triton = keptSystem{name: "triton", families: tritonFamilies(), bounds: map[string][]float64{
	"nv_inference_first_response_histogram_ms": {100, 500, 2000, 5000},
	"nv_llm_input_token_len":                   {10, 50, 100, 500, 1000},
	"nv_llm_output_token_len":                  {10, 50, 100, 500, 1000},
}, next: nextTriton}

func tritonFamilies() []family {
	gpus := one("GPU-"+uuidOf(0), "GPU-"+uuidOf(1))
	model, gpu := []string{"model", "version"}, []string{"gpu_uuid"}
	models := [][]string{{"ensemble", "1"}, {"preprocessing", "1"}, {"tensorrt_llm", "1"}, {"postprocessing", "1"}, {"resnet50", "1"}, {"resnet50", "2"}}
	llm := [][]string{{"tensorrt_llm", "1"}}
	of := func(kind familyKind, scale float64, name, label string, values ...string) []family {
		return alike(kind, append([]string{label}, model...), combined(one(values...), llm), scale, name)
	}
	return slices.Concat(
		alike(scrapedCounter, model, models, 4, "nv_inference_request_success nv_inference_count nv_inference_exec_count"),
		alike(scrapedCounter, append([]string{"reason"}, model...), combined(one("REJECTED", "CANCELED", "BACKEND", "OTHER"), models), 1, "nv_inference_request_failure"),
		alike(scrapedCounter, model, models, 2e6, `nv_inference_request_duration_us nv_inference_queue_duration_us nv_inference_compute_input_duration_us
			nv_inference_compute_infer_duration_us nv_inference_compute_output_duration_us`),
		alike(scrapedGauge, model, models, 12, "nv_inference_pending_request_count nv_model_load_duration_secs"),
		alike(scrapedCounter, model, [][]string{{"resnet50", "1"}}, 900, "nv_cache_num_hits_per_model nv_cache_hit_duration_per_model nv_cache_num_misses_per_model nv_cache_miss_duration_per_model"),
		alike(scrapedHistogram, model, models, 3000, "nv_inference_first_response_histogram_ms"),
		alike(scrapedGauge, nil, unlabelled, 2.5e8, "nv_pinned_memory_pool_total_bytes nv_pinned_memory_pool_used_bytes"),
		alike(scrapedGauge, gpu, gpus, 1, "nv_gpu_utilization"),
		alike(scrapedGauge, gpu, gpus, 8e10, "nv_gpu_memory_total_bytes nv_gpu_memory_used_bytes"),
		alike(scrapedGauge, gpu, gpus, 700, "nv_gpu_power_usage nv_gpu_power_limit"),
		alike(scrapedCounter, gpu, gpus, 700, "nv_energy_consumption"),
		alike(scrapedGauge, nil, unlabelled, 1, "nv_cpu_utilization"),
		alike(scrapedGauge, nil, unlabelled, 1e12, "nv_cpu_memory_total_bytes nv_cpu_memory_used_bytes"),
		of(scrapedGauge, 64, "nv_trt_llm_request_metrics", "request_type", "active", "max", "scheduled", "context", "waiting"),
		of(scrapedGauge, 1e9, "nv_trt_llm_runtime_memory_metrics", "memory_type", "cpu", "gpu", "pinned"),
		// What is not a share is fed by the scenario.
		[]family{{scrapedGauge, "nv_trt_llm_kv_cache_block_metrics", "TRT LLM KV cache block metrics", append([]string{"kv_cache_block_type"}, model...), nil, 0}},
		of(scrapedCounter, 900, "nv_trt_llm_disaggregated_serving_metrics", "disaggregated_serving_type", "kv_cache_transfer_ms", "request_count"),
		of(scrapedGauge, 4096, "nv_trt_llm_inflight_batcher_metrics", "inflight_batcher_specific_metric", "total_context_tokens", "generation_requests", "micro_batch_id", "paused_requests"),
		of(scrapedGauge, 2e15, "nv_trt_llm_general_metrics", "general_type", "timestamp", "iteration_counter"),
		of(scrapedHistogram, 1000, "nv_llm_input_token_len", "response_metric_type", "total_input_tokens"),
		of(scrapedHistogram, 1000, "nv_llm_output_token_len", "response_metric_type", "total_output_tokens"),
	)
}

// nextTriton sends the trace of one request of the ensemble, and writes lines in both formats.
func nextTriton(run *keptRun) {
	for kind, blocks := range map[string]float64{"max": 6239, "free": 4991, "used": 1248, "tokens_per": 64, "reused": 310, "fraction": between(run.rng, 0, 1)} {
		run.metrics.set("nv_trt_llm_kv_cache_block_metrics", blocks, kind, "tensorrt_llm", "1")
	}
	tracer := run.process("service.name", "triton-inference-server").tracer("triton-server")
	id := randomUUID(run.rng)
	request := tracer.span("InferRequest", internal, root, 100, 900)
	request.event("HTTP_RECV_START", 100)
	add := func(parent SpanRef, name string, trace, parentTrace, from, to int) SpanRef {
		s := tracer.span(name, internal, parent, from, to, "triton.model_name", name, "triton.model_version", 1, "triton.trace_id", trace,
			"triton.trace_parent_id", parentTrace, "triton.request_id", id)
		s.event("REQUEST_START", from)
		s.event("QUEUE_START", from+1)
		s.event("REQUEST_END", to)
		return s.ref()
	}
	first := 10 * (run.scenarios + 1)
	ensemble := add(request.ref(), "ensemble", first, 0, 102, 898)
	for i, model := range []string{"preprocessing", "tensorrt_llm", "postprocessing"} {
		from := 110 + 250*i
		s := add(ensemble, model, first+1+i, first, from, from+240)
		tracer.span("compute", internal, s, from+10, from+230).event("COMPUTE_START", from+10)
	}

	at := func(ms int) string { return run.at(ms).UTC().Format("0102 15:04:05.000000") }
	write := func(ms int, level byte, file string, line int, text string) {
		run.write("tritonserver.log", ms, root, StatesNothing, fmt.Sprintf("%c%s 1 %s:%d] %s", level, at(ms), file, line, text))
	}
	write(10, 'I', "grpc_server.cc", 2558, strconv.Quote("Started GRPCInferenceService at 0.0.0.0:8001"))
	write(20, 'I', "server.cc", 674, "\n+---------+--------------------------------+--------+\n| Backend | Path                           | Config |\n"+
		"+---------+--------------------------------+--------+\n| python  | /opt/tritonserver/backends/... | {}     |\n+---------+--------------------------------+--------+\n")
	write(30, 'W', "metrics.cc", 811, strconv.Quote("Unable to get power limit for GPU 0. Status:Success, value:0.000000"))
	if run.scenarios%3 == 1 {
		write(40, 'E', "model_lifecycle.cc", 654, strconv.Quote("failed to load 'postprocessing' version 1: Internal: ModuleNotFoundError: No module named \"transformers\"\n\nAt:\n  /models/postprocessing/1/model.py(3): <module>\n"))
	}
	write(50, 'I', "model.py", 55, strconv.Quote("loaded tokenizer \"llama\""))
	run.write("tritonserver.iso.log", 60, root, StatesNothing, fmt.Sprintf("%s I 1 http_server.cc:4713] %q", run.at(60).UTC().Format("2006-01-02T15:04:05Z"), "Started HTTPService at 0.0.0.0:8000"))
}
