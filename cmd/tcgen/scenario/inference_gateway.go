// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// inferenceGateway is llm-d's router in front of three engines. It exposes the names with llm_d_epp_ and, for as long
// as they are deprecated, those of the Gateway API inference extension.
var inferenceGateway = keptSystem{name: "inference_gateway", families: inferenceGatewayFamilies(), next: nextInferenceGateway}

const gatewayModel = "meta-llama/Llama-3.1-8B-Instruct"

var (
	gatewayPool    = "vllm-llama3-8b-instruct"
	gatewayRewrite = []string{"food-review-1", gatewayModel}
	// By tenant: these families are fed by the scenario.
	gatewayTenants = []string{"llm_d_epp_request_total", "llm_d_epp_flow_control_queue_size", "llm_d_epp_flow_control_queue_bytes", "llm_d_epp_request_running",
		"llm_d_epp_request_duration_seconds", "llm_d_epp_request_input_tokens", "llm_d_epp_request_output_tokens", "llm_d_epp_request_cached_tokens", "inference_extension_flow_control_queue_size",
		"inference_extension_flow_control_request_queue_duration_seconds"}
)

func inferenceGatewayFamilies() []family {
	model, models := strings.Fields("model_name target_model_name"), [][]string{{gatewayModel, gatewayModel}, gatewayRewrite}
	pool, pools := []string{"name"}, one(gatewayPool)
	var pods [][]string
	for i := range 3 {
		pods = append(pods, []string{fmt.Sprintf("%s-%s-rank-0", gatewayPool, hexOf(i, 5)), "serving", "8000"})
	}
	pod := func(label string) []string {
		return []string{"status", "target_model_name", label, "namespace", "port"}
	}
	attempts := combined(one("success"), one(gatewayModel), pods)
	plugin := []string{"extension_point", "plugin_type", "plugin_name"}
	plugins := [][]string{{"Filter", "decode-filter", "decode-filter"}, {"Scorer", "queue-scorer", "queue-scorer"}, {"Scorer", "prefix-cache-scorer", "prefix-cache-scorer"},
		{"Picker", "max-score-picker", "max-score-picker"}, {"ProfileHandler", "single-profile-handler", "single-profile-handler"}}
	tenant := append(slices.Clone(model), "fairness_id", "priority")
	queue := append([]string{"fairness_id", "priority", "inference_pool"}, model...)
	var endpoints [][]string
	for _, p := range pods {
		endpoints = append(endpoints, []string{gatewayPool, p[0]})
	}
	return slices.Concat(
		alike(scrapedCounter, append(slices.Clone(model), "priority"), combined(models, one("1")), 4, "inference_objective_request_total"),
		alike(scrapedCounter, append(slices.Clone(model), "error_code"), combined(models, one("BadRequest", "InferencePoolResourceExhausted")), 1, "inference_objective_request_error_total"),
		alike(scrapedHistogram, model, models, 10, "inference_objective_request_duration_seconds inference_objective_request_ttft_seconds inference_objective_request_tpot_seconds"),
		alike(scrapedHistogram, model, models, 0.1, "inference_objective_normalized_time_per_output_token_seconds"),
		alike(scrapedHistogram, model, models, 4096, `inference_objective_request_sizes inference_objective_response_sizes inference_objective_input_tokens
			inference_objective_output_tokens inference_objective_prompt_cached_tokens`),
		alike(scrapedGauge, []string{"model_name"}, one(gatewayModel), 32, "inference_objective_running_requests"),
		alike(scrapedGauge, append(slices.Clone(model), "type"), combined(models, one("ttft", "predicted_ttft", "tpot", "predicted_tpot")), 1, "inference_objective_inference_request_metric"),
		alike(scrapedGauge, pool, pools, 1, "inference_pool_average_kv_cache_utilization llm_d_epp_average_kv_cache_utilization llm_d_epp_std_dev_kv_cache_utilization"),
		alike(scrapedGauge, pool, pools, 8, `inference_pool_average_queue_size inference_pool_average_running_requests inference_pool_ready_pods
			llm_d_epp_average_queue_size llm_d_epp_average_running_requests llm_d_epp_std_dev_queue_size llm_d_epp_std_dev_running_requests llm_d_epp_ready_endpoints`),
		alike(scrapedGauge, []string{"name", "model_server_pod"}, endpoints, 8, "inference_pool_per_pod_queue_size"),
		alike(scrapedGauge, []string{"name", "model_server_endpoint"}, endpoints, 8, "llm_d_epp_per_endpoint_queue_size"),
		alike(scrapedHistogram, nil, unlabelled, 0.01, `inference_extension_scheduler_e2e_duration_seconds llm_d_epp_scheduler_e2e_duration_seconds
			inference_extension_flow_control_dispatch_cycle_duration_seconds llm_d_epp_flow_control_dispatch_cycle_duration_seconds kvcache_index_lookup_latency_seconds`),
		alike(scrapedCounter, pod("pod_name"), attempts, 4, "inference_extension_scheduler_attempts_total"),
		alike(scrapedCounter, pod("endpoint_name"), attempts, 4, "llm_d_epp_scheduler_attempts_total"),
		alike(scrapedHistogram, plugin, plugins, 0.001, "inference_extension_plugin_duration_seconds llm_d_epp_plugin_duration_seconds"),
		alike(scrapedGauge, nil, unlabelled, 9000, "inference_extension_prefix_indexer_size"),
		alike(scrapedHistogram, nil, unlabelled, 1, "inference_extension_prefix_indexer_hit_ratio"),
		alike(scrapedHistogram, nil, unlabelled, 60000, "inference_extension_prefix_indexer_hit_bytes"),
		alike(scrapedInfo, []string{"commit", "build_ref"}, [][]string{{"ebab6879", "v0.10.0-rc.1"}}, 0, "inference_extension_info llm_d_epp_info"),
		alike(scrapedGauge, []string{"inference_pool", "stage"}, [][]string{{gatewayPool, "decode"}}, 1, "inference_extension_flow_control_pool_saturation llm_d_epp_flow_control_pool_saturation"),
		alike(scrapedCounter, []string{"model_name", "decision_type"}, combined(one(gatewayModel), one("decode-only", "prefill-decode")), 4, "llm_d_inference_scheduler_pd_decision_total llm_d_inference_scheduler_disagg_decision_total"),
		alike(scrapedCounter, nil, unlabelled, 90, "kvcache_index_admissions_total kvcache_index_evictions_total kvcache_index_lookup_requests_total kvcache_index_lookup_hits_total"),
		alike(scrapedCounter, tenant, nil, 0, "llm_d_epp_request_total"),
		alike(scrapedGauge, tenant, nil, 0, "llm_d_epp_request_running"),
		alike(scrapedHistogram, tenant, nil, 0, "llm_d_epp_request_duration_seconds llm_d_epp_request_input_tokens llm_d_epp_request_output_tokens llm_d_epp_request_cached_tokens"),
		alike(scrapedHistogram, []string{"fairness_id", "priority", "outcome"}, nil, 0, "inference_extension_flow_control_request_queue_duration_seconds"),
		alike(scrapedGauge, queue, nil, 0, "llm_d_epp_flow_control_queue_size llm_d_epp_flow_control_queue_bytes inference_extension_flow_control_queue_size"),
	)
}

// nextInferenceGateway sends the trace of one request of a new session, feeds the families that have it as a label,
// and writes zap's lines.
func nextInferenceGateway(run *keptRun) {
	session, id := "session-"+randomHex(run.rng, 12), randomUUID(run.rng)
	for _, f := range run.families {
		if !slices.Contains(gatewayTenants, f.name) {
			continue
		}
		values := []string{gatewayModel, gatewayModel, session, "1"}
		switch {
		case f.labels[0] == "fairness_id" && len(f.labels) == 3:
			values = []string{session, "1", "Dispatched"}
		case f.labels[0] == "fairness_id":
			values = []string{session, "1", gatewayPool, gatewayModel, gatewayModel}
		}
		run.metrics.feed(f, 1+float64(run.rng.IntN(8)), values)
	}

	p := run.process("service.name", "llm-d-router-epp")
	request := p.tracer("llm-d-router/epp/extproc").span("gateway.request", server, root, 100, 900)
	tracer := p.tracer("llm-d-router")
	orchestration := tracer.span("gateway.request_orchestration", server, request.ref(), 105, 140, "gen_ai.request.model", gatewayModel)
	tracer.span("compute_scores", internal, orchestration.ref(), 110, 130, "gen_ai.request.id", id, "gen_ai.request.model", gatewayModel)

	write := func(ms int, in SpanRef, level, caller, message, more string) {
		run.write("epp.log", ms, in, StatesNothing, fmt.Sprintf(`{"level":%q,"ts":%.6f,"caller":%q,"msg":%q%s}`,
			level, float64(run.at(ms).UnixMicro())/1e6, caller, message, more))
	}
	write(10, root, "info", "runner/runner.go:212", "Setup complete", `,"logger":"setup"`)
	write(120, orchestration.ref(), "debug", "requestcontrol/director.go:247", "Running scheduling plugins", fmt.Sprintf(`,"x-request-id":%q,"objectiveKey":"","incomingModelName":%q`, id, gatewayModel))
	if run.scenarios%3 == 1 {
		write(800, request.ref(), "error", "handlers/server.go:331", `Failed to process request: "body" is empty`,
			fmt.Sprintf(`,"x-request-id":%q,"error":"inference error: BadRequest","stacktrace":"main.run\n\t/app/cmd/main.go:7"`, id))
	}
	// zap's development mode, for people.
	run.write("epp.console.log", 850, root, StatesNothing, fmt.Sprintf("%s\tINFO\tsetup\trunner/runner.go:412\tStarting controller manager\t{\"port\": 9002}",
		run.at(850).UTC().Format("2006-01-02T15:04:05Z")))
}
