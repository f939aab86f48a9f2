// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"fmt"
	"strings"
)

// bounds are the bounds of histograms in milliseconds and in seconds.
var bounds = map[string][]string{
	"vllm:queue_wait_ms":               {"1", "10", "1000"},
	"fastdeploy:zmq:latency":           {"0.5", "2", "500"},
	"vllm:e2e_request_latency_seconds": {"0.3", "1", "2.5"},
}

// page returns the page of all systems at a step.
func page(step int) string {
	var b strings.Builder
	add := func(name, kind string, series ...string) {
		fmt.Fprintf(&b, "# TYPE %s %s\n", name, kind)
		for i, labels := range series {
			value := float64(20*(i+1)) + float64(step*(i+3))
			if strings.HasSuffix(name, "_ns") {
				value *= 1e6
			}
			if strings.Contains(name, "avail") {
				value = 50 - float64(8*step+i)
			}
			if strings.Contains(name, "readonly") {
				value = 0
			}
			fmt.Fprintf(&b, "%s{%s} %v\n", name, labels, value)
		}
	}
	histogram := func(name string, labels ...string) {
		fmt.Fprintf(&b, "# TYPE %s histogram\n", name)
		for i, l := range labels {
			for j, le := range bounds[name] {
				fmt.Fprintf(&b, "%s_bucket{%s,le=%q} %d\n", name, l, le, (step+1)*(j+1)*(i+2))
			}
			count := (step + 1) * 4 * (i + 2)
			fmt.Fprintf(&b, "%s_bucket{%s,le=\"+Inf\"} %d\n%s_sum{%s} %v\n%s_count{%s} %d\n", name, l, count, name, l, float64(count)*3.5, name, l, count)
		}
	}
	models := []string{`model_name="llama"`, `model_name="qwen"`}
	histogram("vllm:e2e_request_latency_seconds", models...)
	histogram("vllm:queue_wait_ms", models...)
	add("vllm:prompt_tokens_total", "counter", models...)
	add("vllm:num_requests_running", "gauge", models...)
	add("vllm:request_success_total", "counter", `model_name="llama",finished_reason="stop"`, `model_name="llama",finished_reason="length"`)

	gpus := []string{`Hostname="a",gpu="0",UUID="u0"`, `Hostname="a",gpu="1",UUID="u1"`, `Hostname="b",gpu="0",UUID="u2"`}
	for _, name := range []string{"DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_SM_CLOCK", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"} {
		add(name, "gauge", gpus...)
	}
	add("DCGM_FI_DEV_INFO", "gauge", `Hostname="a",gpu="0",modelName="A100"`, `Hostname="a",gpu="1",modelName="A100"`, `Hostname="b",gpu="0",modelName="H100"`)

	disks := []string{`device="sda",fstype="ext4"`, `device="sdb",fstype="xfs"`}
	for _, name := range []string{"node_filesystem_avail_bytes", "node_filesystem_size_bytes", "node_filesystem_readonly"} {
		add(name, "gauge", disks...)
	}
	add("node_network_receive_errs_total", "counter", `device="eth0"`)
	add("node_network_receive_packets_total", "counter", `device="eth0"`)
	add("node_md_disks_required", "gauge", `device="md0"`)
	add("node_md_disks", "gauge", `device="md0",state="failed"`, `device="md0",state="spare"`)
	b.WriteString("node_md_disks{device=\"md0\",state=\"active\"} 3\n")

	add("ray_tasks", "gauge", `IsRetry="0",State="FINISHED"`, `IsRetry="0",State="RUNNING"`, `IsRetry="1",State="RUNNING"`)
	add("ray_node_cpu_utilization", "gauge", `IsHeadNode="true"`)
	add("ray_node_cpu_count", "gauge", `IsHeadNode="true"`)
	add("autoscaler_cluster_resources", "gauge", `resource="CPU"`, `resource="GPU"`)
	add("autoscaler_pending_resources", "gauge", `resource="GPU"`)

	add("tensorcast_memory_tier_rehydrate_p99_ns", "gauge", `tier="gpu"`, `tier="cpu"`)
	add("fastdeploy:num_requests_running", "gauge", `tp_rank="0"`, `tp_rank="1"`)
	add("fastdeploy:num_requests_waiting", "gauge", `tp_rank="0"`, `tp_rank="1"`)
	add("fastdeploy:request_success_total", "counter", `tp_rank="0"`, `tp_rank="1"`)
	add("fastdeploy:cache_hit_rate_3", "gauge", `tp_rank="0"`)
	histogram("fastdeploy:zmq:latency", `tp_rank="0"`)
	add("tuft_futures_created_total", "counter", `operation="sample"`, `operation="train"`)
	return b.String()
}
