// SPDX-License-Identifier: Apache-2.0

package scenario

var (
	zmqAddress = []string{"address"}
	zmqSockets = one("ipc:///dev/shm/router_8188.ipc", "ipc:///dev/shm/worker_8188.ipc", "ipc:///dev/shm/worker_8189.ipc")
)

// fastDeployFamilies are what the API server exposes. Counters are registered
// without _total, and zmq:latency is in milliseconds.
var fastDeployFamilies = []family{
	{scrapedGauge, "fastdeploy:num_requests_running", "Number of requests currently running", nil, unlabelled, 32},
	{scrapedGauge, "fastdeploy:num_requests_waiting", "Number of requests currently waiting", nil, unlabelled, 16},
	{scrapedHistogram, "fastdeploy:time_to_first_token_seconds", "Time to first token in seconds", nil, unlabelled, 1},
	{scrapedHistogram, "fastdeploy:time_per_output_token_seconds", "Time per output token in seconds", nil, unlabelled, 0.2},
	{scrapedHistogram, "fastdeploy:request_inference_time_seconds", "Time in inference", nil, unlabelled, 1},
	{scrapedHistogram, "fastdeploy:request_queue_time_seconds", "Time in the queue", nil, unlabelled, 1},
	{scrapedHistogram, "fastdeploy:request_prefill_time_seconds", "Time in prefill", nil, unlabelled, 1},
	{scrapedHistogram, "fastdeploy:request_decode_time_seconds", "Time in decode", nil, unlabelled, 1},
	{scrapedHistogram, "fastdeploy:e2e_request_latency_seconds", "End-to-end latency", nil, unlabelled, 1},
	{scrapedHistogram, "fastdeploy:request_generation_tokens", "Tokens generated", nil, unlabelled, 2000},
	{scrapedHistogram, "fastdeploy:request_prompt_tokens", "Tokens of prompts", nil, unlabelled, 2000},
	{scrapedHistogram, "fastdeploy:request_params_max_tokens", "max_tokens asked for", nil, unlabelled, 4096},
	{scrapedCounter, "fastdeploy:requests_number", "Total number of requests received", nil, unlabelled, 4},
	{scrapedCounter, "fastdeploy:request_success_total", "Total number of successfully processed requests", nil, unlabelled, 4},
	{scrapedCounter, "fastdeploy:prompt_tokens_total", "Total number of prompt tokens processed", nil, unlabelled, 2000},
	{scrapedCounter, "fastdeploy:generation_tokens_total", "Total number of generation tokens processed", nil, unlabelled, 2000},
	{scrapedCounter, "fastdeploy:send_cache_failed_num", "Failures of sending cache", nil, unlabelled, 2},
	{scrapedCounter, "fastdeploy:prefix_cache_token_num", "Tokens cached", nil, unlabelled, 900},
	{scrapedCounter, "fastdeploy:prefix_gpu_cache_token_num", "Tokens cached on GPU", nil, unlabelled, 600},
	{scrapedCounter, "fastdeploy:prefix_cpu_cache_token_num", "Tokens cached on CPU", nil, unlabelled, 300},
	{scrapedGauge, "fastdeploy:gpu_cache_usage_perc", "GPU KV-cache usage, 1 is all", nil, unlabelled, 1},
	{scrapedGauge, "fastdeploy:batch_size", "Batch size", nil, unlabelled, 32},
	{scrapedGauge, "fastdeploy:max_batch_size", "Largest batch size", nil, unlabelled, 64},
	{scrapedGauge, "fastdeploy:available_gpu_block_num", "GPU blocks available", nil, unlabelled, 8000},
	{scrapedGauge, "fastdeploy:free_gpu_block_num", "GPU blocks free", nil, unlabelled, 8000},
	{scrapedGauge, "fastdeploy:max_gpu_block_num", "GPU blocks", nil, unlabelled, 8192},
	{scrapedGauge, "fastdeploy:first_token_latency", "Latest time to first token in seconds", nil, unlabelled, 1},
	{scrapedGauge, "fastdeploy:infer_latency", "Latest time to generate one token in seconds", nil, unlabelled, 0.2},
	{scrapedGauge, "fastdeploy:hit_req_rate", "Request-level prefix cache hit rate", nil, unlabelled, 1},
	{scrapedGauge, "fastdeploy:hit_token_rate", "Token-level prefix cache hit rate", nil, unlabelled, 1},
	{scrapedGauge, "fastdeploy:spec_decode_draft_acceptance_rate", "Acceptance rate of drafts", nil, unlabelled, 1},
	// One name per draft head.
	{scrapedGauge, "fastdeploy:spec_decode_draft_single_head_acceptance_rate_0", "Acceptance rate (head 0)", nil, unlabelled, 1},
	{scrapedGauge, "fastdeploy:spec_decode_draft_single_head_acceptance_rate_1", "Acceptance rate (head 1)", nil, unlabelled, 1},
	{scrapedCounter, "fastdeploy:zmq:msg_send_total", "Total number of zmq messages sent", zmqAddress, zmqSockets, 20},
	{scrapedCounter, "fastdeploy:zmq:msg_send_failed_total", "zmq messages that failed to be sent", zmqAddress, zmqSockets, 2},
	{scrapedCounter, "fastdeploy:zmq:msg_bytes_send_total", "Bytes sent over zmq", zmqAddress, zmqSockets, 1e5},
	{scrapedCounter, "fastdeploy:zmq:msg_recv_total", "zmq messages received", zmqAddress, zmqSockets, 20},
	{scrapedCounter, "fastdeploy:zmq:msg_bytes_recv_total", "Bytes received over zmq", zmqAddress, zmqSockets, 1e5},
	{scrapedHistogram, "fastdeploy:zmq:latency", "Latency of zmq message (in millisecond)", zmqAddress, zmqSockets, 10},
	// The labels are the whole configuration.
	{scrapedInfo, "fastdeploy:cache_config_info", "Information of the engine's CacheConfig", []string{
		"block_size", "bytes_per_block", "bytes_per_layer_per_block", "cache_dtype", "cache_queue_port", "cache_transfer_protocol",
		"dtype", "enable_chunked_prefill", "enable_prefix_caching", "enc_dec_block_num", "gpu_memory_utilization", "head_num",
		"kv_cache_ratio", "model_cfg", "num_cpu_blocks", "num_gpu_blocks_override", "rdma_comm_ports", "swap_space",
	}, [][]string{{
		"64", "2097152", "65536", "bfloat16", "8923", "ipc", "bfloat16", "False", "True", "2", "0.9", "8",
		"0.75", "<fastdeploy.config.ModelConfig object at 0x7f1b2c3d4e50>", "0", "None", "None", "None",
	}}, 0},

	// Labelled by a path that holds ids; see expose.
	{scrapedCounter, "http_requests_total", "Total number of requests by method, status and handler.", []string{"method", "path", "status_code"}, nil, 0},
	{scrapedHistogram, "http_request_duration_seconds", "Duration of HTTP requests in seconds", []string{"method", "path"}, nil, 0},
}

func (run *fastDeployRun) expose() {
	e := run.metrics
	e.move(run.now, run.rng)
	for _, path := range []string{"/v1/chat/completions", "/v1/requests/" + randomUUID(run.rng)} {
		e.add("http_requests_total", 1, "POST", path, "200")
		e.observe("http_request_duration_seconds", between(run.rng, 0.1, 2), "POST", path)
	}
}
