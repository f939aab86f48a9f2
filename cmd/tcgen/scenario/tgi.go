// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// tgi is the router of Text Generation Inference with two shards. Its counters have no _total, and no metric has the
// model.
var tgi = keptSystem{name: "tgi", families: tgiFamilies(), bounds: tgiBounds(), next: nextTGI}

const (
	tgiTokens     = 4096 // --max-total-tokens
	tgiDurations  = "tgi_request_duration tgi_request_validation_duration tgi_request_queue_duration tgi_request_inference_duration tgi_request_mean_time_per_token_duration"
	tgiByMethod   = "tgi_batch_inference_duration tgi_batch_forward_duration tgi_batch_decode_duration tgi_batch_filter_duration"
	tgiByTokens   = "tgi_request_input_length tgi_request_generated_tokens tgi_request_max_new_tokens"
	tgiBatchSizes = 1024
)

func tgiFamilies() []family {
	method, methods := []string{"method"}, one("prefill", "decode")
	return slices.Concat(
		alike(scrapedCounter, nil, unlabelled, 4, "tgi_request_count tgi_request_success"),
		alike(scrapedCounter, []string{"err"}, one("overloaded", "validation", "generation", "incomplete", "dropped", "template"), 2, "tgi_request_failure"),
		alike(scrapedCounter, method, methods, 40, "tgi_batch_inference_count tgi_batch_inference_success"),
		alike(scrapedCounter, method, methods, 1, "tgi_batch_inference_failure"),
		alike(scrapedCounter, []string{"reason"}, one("backpressure", "chunking", "wait_exceeded"), 3, "tgi_batch_concat"),
		alike(scrapedGauge, nil, unlabelled, 32, "tgi_queue_size tgi_batch_current_size"),
		alike(scrapedGauge, nil, unlabelled, 60000, "tgi_batch_current_max_tokens tgi_batch_max_total_tokens"),
		alike(scrapedHistogram, nil, unlabelled, 1, tgiDurations),
		alike(scrapedHistogram, method, methods, 0.2, tgiByMethod),
		alike(scrapedHistogram, method, one("decode"), 0.02, "tgi_batch_concat_duration"),
		alike(scrapedHistogram, nil, unlabelled, tgiTokens, tgiByTokens),
		alike(scrapedHistogram, nil, unlabelled, 32, "tgi_batch_next_size"),
	)
}

// tgiBounds are those of the router: 35 of a geometric sequence for durations, each hundredth of the tokens, and each
// size of a batch.
func tgiBounds() map[string][]float64 {
	bounds := map[string][]float64{"tgi_batch_next_size": prometheus.LinearBuckets(1, 1, tgiBatchSizes)}
	setBounds(bounds, prometheus.ExponentialBuckets(0.00015, 1.5, 35), tgiDurations+" "+tgiByMethod+" tgi_batch_concat_duration")
	setBounds(bounds, prometheus.LinearBuckets(tgiTokens/100.0, tgiTokens/100.0, 100), tgiByTokens)
	return bounds
}

// nextTGI sends the trace of one request through the router and a shard, and writes the lines of router and launcher.
func nextTGI(run *keptRun) {
	router := run.process("service.name", "text-generation-inference.router").tracer("opentelemetry-otlp")
	shard := run.process("service.name", "text-generation-inference.router", "telemetry.sdk.language", "python").tracer("text_generation_server.tracing")
	seed := run.rng.Uint64()
	request := router.span("chat_completions", internal, root, 100, 1400, "total_time", "1.3s", "validation_time", "412.1µs", "queue_time", "61.2µs",
		"inference_time", "1.299s", "time_per_token", "12.9ms", "seed", fmt.Sprintf("Some(%d)", seed), "code.namespace", "text_generation_router::server")
	generate := router.span("generate_stream", internal, request.ref(), 105, 1395)
	prefill := router.span("prefill", internal, generate.ref(), 110, 300)
	shard.span("/generate.v3.TextGenerationService/Prefill", server, prefill.ref(), 112, 298, "rpc.system", "grpc", "rpc.method", "Prefill", "rpc.service", "generate.v3.TextGenerationService")

	w := tgiWriter{run}
	w.launcher(10, `INFO`, "text_generation_launcher", "Args {\n    model_id: \"meta-llama/Llama-3.1-8B-Instruct\",\n    revision: None,\n    num_shard: Some(\n        2,\n    ),\n}")
	w.launcher(40, "INFO", "shard-manager: text_generation_launcher", "Shard ready in 5.204s rank=0")
	w.launcher(50, "WARN", "text_generation_launcher", `Unable to use Flash Attention V2: "not installed" on rank 1`)
	w.router(60, root, "INFO", "text_generation_router::server", "router/src/server.rs", 2302, "Connected")
	w.router(1400, request.ref(), "INFO", fmt.Sprintf(`chat_completions{total_time="1.3s" validation_time="412.1µs" queue_time="61.2µs" inference_time="1.299s" time_per_token="12.9ms" seed="Some(%d)"}: text_generation_router::server`, seed),
		"router/src/server.rs", 637, "Success")
	w.router(110, request.ref(), "DEBUG", "chat_completions: text_generation_router::server", "router/src/server.rs", 520, "Input: "+Content+"\nof two lines, "+Content)
	w.router(1390, request.ref(), "DEBUG", "chat_completions: text_generation_router::server", "router/src/server.rs", 431, "Output: "+Content)
	w.router(1450, root, "ERROR", `generate{parameters=GenerateParameters { best_of: None, temperature: Some(0.7), stop: ["User: ", "\n\n"], grammar: None, adapter_id: None }}:generate:generate_stream: text_generation_router::infer`,
		"router/src/infer/mod.rs", 126, "Input validation error: `inputs` must have less than 1024 tokens. Given: 4096")
	w.json(1500, "INFO", "text_generation_router::server", "router/src/server.rs", 432, "Success")
	if run.scenarios%3 == 1 {
		w.launcher(1800, "ERROR", "shard-manager: text_generation_launcher", "Shard complete standard error output:\n\nTraceback (most recent call last):\n"+
			"  File \"/opt/conda/bin/text-generation-server\", line 8, in <module>\n    sys.exit(app())\nRuntimeError: CUDA error: an illegal memory access was encountered rank=1")
	}
}

// tgiWriter writes Rust's tracing, which has the time in UTC with microseconds and pads the level.
type tgiWriter struct{ run *keptRun }

func rustTime(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000000Z") }

func (w tgiWriter) launcher(ms int, level, target, message string) {
	w.run.write("launcher.log", ms, root, StatesNothing, fmt.Sprintf("%s %5s %s: %s", rustTime(w.run.at(ms)), level, target, message))
}

func (w tgiWriter) router(ms int, in SpanRef, level, target, file string, line int, message string) {
	w.run.write("router.log", ms, in, StatesNothing, fmt.Sprintf("%s %5s %s: %s:%d: %s", rustTime(w.run.at(ms)), level, target, file, line, message))
}

// json is a line with --json-output.
func (w tgiWriter) json(ms int, level, target, file string, line int, message string) {
	w.run.write("router.json.log", ms, root, StatesNothing, fmt.Sprintf(
		`{"timestamp":%q,"level":%q,"message":%q,"target":%q,"filename":%q,"line_number":%d,"span":{"name":"generate"},"spans":[{"name":"generate"}]}`,
		rustTime(w.run.at(ms)), level, message, target, file, line))
}
