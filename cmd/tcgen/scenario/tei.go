// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// tei is Text Embeddings Inference. Its counters have no _total, and no metric has the model.
var tei = keptSystem{name: "tei", families: teiFamilies(), bounds: teiBounds(), next: nextTEI}

const teiDurations = `te_request_duration te_request_tokenization_duration te_request_queue_duration te_request_inference_duration
	te_embed_duration te_embed_tokenization_duration te_embed_queue_duration te_embed_inference_duration
	te_predict_duration te_predict_tokenization_duration te_predict_queue_duration te_predict_inference_duration`

func teiFamilies() []family {
	method, methods := []string{"method"}, one("single", "batch")
	return slices.Concat(
		alike(scrapedCounter, method, methods, 20, "te_request_count te_request_success"),
		alike(scrapedCounter, []string{"err"}, one("overloaded", "validation", "tokenization", "batch_size", "inference", "model_type", "dropped", "missing_values"), 2, "te_request_failure"),
		alike(scrapedCounter, nil, unlabelled, 80, "te_embed_count te_embed_success te_predict_count te_predict_success"),
		alike(scrapedGauge, nil, unlabelled, 64, "te_queue_size"),
		alike(scrapedHistogram, nil, unlabelled, 0.1, teiDurations),
		alike(scrapedHistogram, nil, unlabelled, 512, "te_request_input_length"),
		alike(scrapedHistogram, nil, unlabelled, 64, "te_batch_next_size"),
		alike(scrapedHistogram, nil, unlabelled, 16384, "te_batch_next_tokens"),
	)
}

func teiBounds() map[string][]float64 {
	bounds := map[string][]float64{
		"te_request_input_length": prometheus.ExponentialBuckets(1, 2, 10),
		"te_batch_next_size":      prometheus.ExponentialBuckets(1, 2, 13),
		"te_batch_next_tokens":    prometheus.ExponentialBuckets(1, 2, 21),
	}
	setBounds(bounds, prometheus.ExponentialBuckets(0.000015, 1.5, 35), teiDurations)
	return bounds
}

// nextTEI sends the trace of one request, and writes its line, and one in JSON.
func nextTEI(run *keptRun) {
	tracer := run.process("service.name", "text-embeddings-inference.server").tracer("opentelemetry-otlp")
	request := tracer.span("embed", internal, root, 100, 120, "total_time", "5.1ms", "tokenization_time", "310.2µs", "queue_time", "401.1µs", "inference_time", "4.3ms")
	tracer.span("embed_pooled", internal, request.ref(), 101, 119, "truncate", false, "normalize", true)
	write := func(ms int, in SpanRef, level, target, file string, line int, message string) {
		run.write("tei.log", ms, in, StatesNothing, fmt.Sprintf("%s %5s %s: %s:%d: %s", rustTime(run.at(ms)), level, target, file, line, message))
	}
	write(10, root, "INFO", "text_embeddings_router", "router/src/main.rs", 216, `Args { model_id: "BAA*/***-large-en-v1.5", revision: None, pooling: None }`)
	write(20, root, "INFO", "text_embeddings_router::http::server", "router/src/http/server.rs", 1881, "Ready")
	write(120, request.ref(), "INFO", `embed{total_time="5.1ms" tokenization_time="310.2µs" queue_time="401.1µs" inference_time="4.3ms"}: text_embeddings_router::http::server`,
		"router/src/http/server.rs", 737, "Success")
	write(200, root, "ERROR", "embed:embed_pooled{truncate=false truncation_direction=Right normalize=true}: text_embeddings_core::infer",
		"core/src/infer.rs", 375, "Input validation error: `inputs` must have less than 512 tokens. Given: 601")
	run.write("tei.json.log", 300, root, StatesNothing, fmt.Sprintf(
		`{"timestamp":%q,"level":"INFO","message":"Success","target":"text_embeddings_router::http::server","filename":"router/src/http/server.rs","line_number":737,"span":{"inference_time":"4.3ms","name":"embed"}}`,
		rustTime(run.at(300))))
}
