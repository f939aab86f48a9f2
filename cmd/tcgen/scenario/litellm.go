// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// litellm is the proxy of LiteLLM 1.109: a gateway to model providers, with the callback prometheus.
var litellm = keptSystem{name: "litellm", families: litellmFamilies(), bounds: litellmBounds(), created: true, next: nextLiteLLM}

const (
	litellmKeys   = 12
	litellmCaller = "end_user hashed_api_key api_key_alias"
	litellmTeam   = "team team_alias"
	litellmModel  = "model_group litellm_model_name model_id api_base api_provider"
)

// litellmCalls are what the callers' keys ask for: each key each model. Every second key has no alias, and only its
// hash tells it from the others.
func litellmCalls() []map[string]string {
	models := []map[string]string{
		{"model": "gpt-5-mini", "api_provider": "openai", "api_base": "https://api.openai.com/v1/"},
		{"model": "claude-opus-4-8", "api_provider": "anthropic", "api_base": "https://api.anthropic.com"},
		{"model": "Qwen/Qwen3-32B", "api_provider": "hosted_vllm", "api_base": "http://vllm.models.svc:8000/v1"},
	}
	var calls []map[string]string
	for key := range litellmKeys {
		alias := "None"
		if key%2 == 0 {
			alias = fmt.Sprintf("team-%d-prod", key%4)
		}
		for i, model := range models {
			calls = append(calls, map[string]string{
				"hashed_api_key": hexOf(key, 64), "api_key_alias": alias, "team": hexOf(100+key%4, 32), "team_alias": fmt.Sprintf("team-%d", key%4),
				"user": "default_user_id", "user_email": fmt.Sprintf("dev%d@example.com", key%3), "end_user": "None", "org_id": "None", "org_alias": "None",
				"client_ip": fmt.Sprintf("10.0.0.%d", 10+key), "user_agent": "OpenAI/Python 2.54.0", "route": "/chat/completions",
				"requested_model": model["model"], "model": model["model"], "model_group": model["model"], "litellm_model_name": model["model"],
				"fallback_model": "gpt-5-mini", "model_id": hexOf(200+i, 64), "api_base": model["api_base"], "api_provider": model["api_provider"],
				"service_tier": "default", "status_code": "200", "exception_status": "429", "exception_class": "RateLimitError",
				"project_id": "None", "project_alias": "None", "rate_limit_type": "requests",
			})
		}
	}
	return calls
}

func litellmFamilies() []family {
	calls := litellmCalls()
	with := func(kind familyKind, scale float64, labels, names string) []family {
		fields := strings.Fields(labels)
		var values [][]string
		for _, call := range calls {
			var tuple []string
			for _, label := range fields {
				tuple = append(tuple, call[label])
			}
			if !slices.ContainsFunc(values, func(known []string) bool { return slices.Equal(known, tuple) }) {
				values = append(values, tuple)
			}
		}
		return alike(kind, fields, values, scale, names)
	}
	requested := litellmCaller + " requested_model " + litellmTeam + " user model_id api_provider org_id org_alias"
	tokens := litellmCaller + " model " + litellmTeam + " user user_email requested_model model_id api_provider"
	limits := "hashed_api_key api_key_alias"
	return slices.Concat(
		with(scrapedCounter, 8, requested+" status_code user_email route client_ip user_agent", "litellm_proxy_total_requests_metric_total"),
		with(scrapedCounter, 2, requested+" exception_status exception_class user_email route client_ip user_agent", "litellm_proxy_failed_requests_metric_total"),
		with(scrapedHistogram, 1, "model_group model hashed_api_key api_key_alias "+litellmTeam+" requested_model end_user user model_id api_provider service_tier org_id org_alias",
			"litellm_llm_api_latency_metric litellm_llm_api_time_to_first_token_metric litellm_request_total_latency_metric"),
		with(scrapedHistogram, 1, requested+" model", "litellm_request_queue_time_seconds"),
		with(scrapedCounter, 8, litellmCaller+" model "+litellmTeam+" user user_email client_ip user_agent requested_model model_id api_provider org_id org_alias", "litellm_requests_metric_total"),
		with(scrapedCounter, 1, litellmCaller+" model "+litellmTeam+" user user_email client_ip user_agent requested_model model_id api_provider service_tier org_id org_alias", "litellm_spend_metric_total"),
		with(scrapedCounter, 900, tokens+" org_id org_alias", "litellm_input_tokens_metric_total litellm_total_tokens_metric_total litellm_output_tokens_metric_total"),
		with(scrapedCounter, 90, tokens, `litellm_input_cached_tokens_metric_total litellm_input_cache_creation_tokens_metric_total
			litellm_input_audio_tokens_metric_total litellm_output_reasoning_tokens_metric_total litellm_output_audio_tokens_metric_total`),
		with(scrapedCounter, 8, litellmCaller+" model "+litellmTeam+" user model_id", "litellm_llm_api_failed_requests_metric_total"),
		with(scrapedCounter, 90, "model hashed_api_key api_key_alias "+litellmTeam+" end_user user model_id api_provider", `litellm_cache_hits_metric_total litellm_cache_misses_metric_total
			litellm_cached_tokens_metric_total litellm_provider_cache_read_input_tokens_metric_total litellm_provider_cache_creation_input_tokens_metric_total`),
		with(scrapedHistogram, 0.1, litellmModel+" hashed_api_key api_key_alias "+litellmTeam, "litellm_deployment_latency_per_output_token"),
		with(scrapedHistogram, 1, litellmModel+" hashed_api_key api_key_alias", "litellm_overhead_latency_metric litellm_overhead_with_guardrails_latency_metric"),
		with(scrapedGauge, 5000, litellmModel+" hashed_api_key api_key_alias", "litellm_remaining_requests_metric litellm_remaining_tokens_metric"),
		with(scrapedGauge, 2, "litellm_model_name model_id api_base api_provider", "litellm_deployment_state"),
		with(scrapedGauge, 5000, litellmModel, "litellm_deployment_tpm_limit litellm_deployment_rpm_limit"),
		with(scrapedCounter, 2, "litellm_model_name model_id api_base api_provider exception_status", "litellm_deployment_cooled_down_total"),
		with(scrapedCounter, 8, litellmModel+" requested_model hashed_api_key api_key_alias "+litellmTeam+" client_ip user_agent", "litellm_deployment_total_requests_total litellm_deployment_success_responses_total"),
		with(scrapedCounter, 2, litellmModel+" requested_model exception_status exception_class hashed_api_key api_key_alias "+litellmTeam+" client_ip user_agent", "litellm_deployment_failure_responses_total"),
		with(scrapedCounter, 2, "requested_model fallback_model hashed_api_key api_key_alias "+litellmTeam+" exception_status exception_class model_id", "litellm_deployment_successful_fallbacks_total litellm_deployment_failed_fallbacks_total"),
		with(scrapedGauge, 500, limits, "litellm_remaining_api_key_budget_metric litellm_api_key_max_budget_metric litellm_api_key_budget_remaining_hours_metric"),
		with(scrapedGauge, 500, limits+" model model_id", "litellm_remaining_api_key_requests_for_model litellm_remaining_api_key_tokens_for_model"),
		with(scrapedGauge, 500, limits+" rate_limit_type", "litellm_api_key_rate_limit_allowed_metric litellm_api_key_rate_limit_used_metric"),
		with(scrapedGauge, 500, litellmTeam, "litellm_remaining_team_budget_metric litellm_team_max_budget_metric litellm_team_budget_remaining_hours_metric litellm_team_members_metric"),
		with(scrapedGauge, 500, litellmTeam+" rate_limit_type", "litellm_team_rate_limit_allowed_metric litellm_team_rate_limit_used_metric"),
		with(scrapedGauge, 500, "org_id org_alias", "litellm_remaining_org_budget_metric litellm_org_max_budget_metric litellm_org_budget_remaining_hours_metric"),
		with(scrapedGauge, 500, "user", "litellm_remaining_user_budget_metric litellm_user_max_budget_metric litellm_user_budget_remaining_hours_metric"),
		with(scrapedGauge, 500, "end_user", "litellm_remaining_customer_budget_metric litellm_customer_max_budget_metric litellm_customer_budget_remaining_hours_metric"),
		with(scrapedGauge, 500, "project_id project_alias requested_model rate_limit_type", "litellm_project_model_rate_limit_allowed_metric litellm_project_model_rate_limit_used_metric"),
		with(scrapedGauge, 500, "api_provider", "litellm_provider_remaining_budget_metric"),
		alike(scrapedHistogram, strings.Fields("guardrail_name status error_type hook_type"), [][]string{{"presidio", "success", "None", "pre_call"}}, 1, "litellm_guardrail_latency_seconds"),
		alike(scrapedCounter, strings.Fields("guardrail_name status hook_type"), [][]string{{"presidio", "success", "pre_call"}}, 8, "litellm_guardrail_requests_total"),
		alike(scrapedCounter, strings.Fields("guardrail_name error_type hook_type"), [][]string{{"presidio", "Timeout", "pre_call"}}, 1, "litellm_guardrail_errors_total"),
		alike(scrapedCounter, []string{"callback_name"}, one("langfuse", "s3_v2"), 1, "litellm_callback_logging_failures_metric_total"),
		alike(scrapedGauge, nil, unlabelled, 64, "litellm_in_flight_requests litellm_total_users litellm_active_users litellm_teams_count"),
		// Of the services that the proxy uses.
		alike(scrapedHistogram, []string{"redis"}, one("redis"), 0.1, "litellm_redis_latency"),
		alike(scrapedCounter, []string{"redis"}, one("redis"), 8, "litellm_redis_total_requests_total"),
		alike(scrapedHistogram, []string{"postgres"}, one("postgres"), 0.1, "litellm_postgres_latency"),
		alike(scrapedCounter, []string{"postgres"}, one("postgres"), 8, "litellm_postgres_total_requests_total"),
		alike(scrapedHistogram, []string{"self"}, one("self"), 1, "litellm_self_latency"),
		alike(scrapedCounter, []string{"self"}, one("self"), 8, "litellm_self_total_requests_total"),
		alike(scrapedGauge, nil, unlabelled, 4e8, "process_virtual_memory_bytes process_resident_memory_bytes process_open_fds"),
		alike(scrapedCounter, nil, unlabelled, 2, "process_cpu_seconds_total"),
		alike(scrapedCounter, []string{"generation"}, numbered("%d", 3), 40, "python_gc_objects_collected_total python_gc_collections_total"),
	)
}

// litellmBounds are LATENCY_BUCKETS of litellm/types/integrations/prometheus.py.
func litellmBounds() map[string][]float64 {
	bounds := map[string][]float64{}
	setBounds(bounds, []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 420, 600}, `litellm_llm_api_latency_metric
		litellm_llm_api_time_to_first_token_metric litellm_request_total_latency_metric litellm_request_queue_time_seconds litellm_overhead_latency_metric
		litellm_overhead_with_guardrails_latency_metric litellm_guardrail_latency_seconds litellm_redis_latency litellm_postgres_latency litellm_self_latency`)
	return bounds
}

// nextLiteLLM writes what the proxy logs of a request with LITELLM_LOG=DEBUG, as text and with JSON_LOGS.
func nextLiteLLM(run *keptRun) {
	write := func(ms int, logger, level, source, message string) {
		run.write("litellm.log", ms, root, StatesNothing, fmt.Sprintf("%s - %s:%s: %s - %s", run.at(ms).UTC().Format("15:04:05"), logger, level, source, message))
	}
	asked := "{'model': 'gpt-5-mini', 'messages': [{'role': 'user', 'content': " + contentInPython + "}]}"
	write(100, "LiteLLM Proxy", "DEBUG", "common_request_processing.py:1930", "receiving data: "+asked)
	write(110, "LiteLLM", "DEBUG", "litellm_logging.py:1342", "\n\nPOST Request Sent from LiteLLM:\ncurl -X POST \\\nhttps://api.openai.com/v1/ \\\n-H 'Authorization: Be****12' \\\n-d '"+asked+"'")
	write(900, "LiteLLM", "WARNING", "litellm_logging.py:1404", "RAW RESPONSE:\n{\"choices\": [{\"message\": {\"content\": "+asJSON(Content)+"}}]}")
	write(910, "LiteLLM Router", "INFO", "router.py:3259", "litellm.acompletion(model=gpt-5-mini) 200 OK")
	run.write("litellm.json.log", 100, root, StatesNothing, fmt.Sprintf(
		`{"message": %s, "level": "DEBUG", "timestamp": %q, "model": "gpt-5-mini", "messages": [{"role": "user", "content": %s}], "component": "LiteLLM Proxy", "logger": "common_request_processing.py:1930"}`,
		asJSON("receiving data: "+asked), run.at(100).UTC().Format("2006-01-02T15:04:05.000000"), asJSON(Content)))
}
