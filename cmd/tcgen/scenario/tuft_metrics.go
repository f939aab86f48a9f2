// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"time"
)

// newTuFTMeter defines TuFT's own instruments; none of the units but s is UCUM.
func newTuFTMeter(start time.Time) *meter {
	m := &meter{scope: "tuft", start: start, startsSeries: true}
	m.define(intUpDownCounter, "tuft.training.models.active", "", "Number of active training models")
	m.define(histogram, "tuft.training.tokens_per_second", "tokens/s", "Training tokens per second")
	m.define(intCounter, "tuft.training.checkpoints.saved", "", "Number of checkpoints saved")
	m.define(histogram, "tuft.training.checkpoint.size_bytes", "bytes", "Checkpoint size in bytes")
	m.define(intUpDownCounter, "tuft.sampling.sessions.active", "", "Number of active sampling sessions")
	m.define(intCounter, "tuft.sampling.requests", "", "Number of sampling requests")
	m.define(histogram, "tuft.sampling.duration", "s", "Sampling request duration")
	m.define(histogram, "tuft.sampling.tokens_per_second", "tokens/s", "Sampling tokens per second")
	m.define(histogram, "tuft.sampling.output_tokens", "tokens", "Number of output tokens per sample")
	m.define(intUpDownCounter, "tuft.futures.queue_length", "", "Number of futures in queue")
	m.define(intCounter, "tuft.futures.created", "", "Number of futures created")
	m.define(intCounter, "tuft.futures.completed", "", "Number of futures completed")
	m.define(histogram, "tuft.futures.wait_time", "s", "Time waiting for future completion")
	m.define(histogram, "tuft.futures.execution_time", "s", "Future execution time")
	m.define(histogram, "tuft.redis.operation.duration", "s", "Redis operation duration")
	return m
}

func newTuFTResourceMeter(start time.Time) *meter {
	m := &meter{scope: "tuft.resources", start: start}
	m.define(gauge, "tuft.resource.cpu.utilization_percent", "%", "CPU utilization percentage")
	m.define(intGauge, "tuft.resource.memory.used_bytes", "bytes", "Memory used in bytes")
	m.define(intGauge, "tuft.resource.memory.total_bytes", "bytes", "Total memory in bytes")
	m.define(gauge, "tuft.resource.memory.utilization_percent", "%", "Memory utilization percentage")
	m.define(intGauge, "tuft.resource.gpu.utilization_percent", "%", "GPU utilization percentage")
	m.define(intGauge, "tuft.resource.gpu.memory_used_bytes", "bytes", "GPU memory used in bytes")
	m.define(intGauge, "tuft.resource.gpu.memory_total_bytes", "bytes", "GPU total memory in bytes")
	m.define(intGauge, "tuft.resource.process.memory_used_bytes", "bytes", "Process memory usage in bytes")
	return m
}

func newTuFTHTTPMeter(start time.Time) *meter {
	m := &meter{scope: "opentelemetry.instrumentation.fastapi", version: "0.52b1", start: start, startsSeries: true}
	m.define(intUpDownCounter, "http.server.active_requests", "{request}", "Number of active HTTP server requests.")
	m.define(histogram, "http.server.duration", "ms", "Measures the duration of inbound HTTP requests.")
	m.define(histogram, "http.server.response.size", "By", "Measures the size of HTTP response messages (compressed).")
	return m
}

func (run *tuftRun) countFuture(operation string, seconds float64, endpoint string) {
	run.meter.record("tuft.futures.created", 1, "operation_type", operation, "model_id", run.model)
	run.meter.record("tuft.futures.completed", 1, "operation_type", operation, "status", "ready")
	run.meter.record("tuft.futures.queue_length", 1, "queue_state", "active")
	run.meter.record("tuft.futures.queue_length", -1, "queue_state", "active")
	run.meter.record("tuft.futures.wait_time", between(run.rng, 0, 0.01), "operation_type", operation)
	run.meter.record("tuft.futures.execution_time", seconds, "operation_type", operation)

	route := "/api/v1/" + endpoint
	run.http.record("http.server.duration", between(run.rng, 2, 12), "http.method", "POST", "http.target", route, "http.status_code", 200)
}

func (run *tuftRun) countSample(seconds float64) {
	run.meter.record("tuft.sampling.requests", 1, "base_model", baseModel)
	run.meter.record("tuft.sampling.duration", seconds, "base_model", baseModel)
	run.meter.record("tuft.sampling.tokens_per_second", between(run.rng, 20, 90), "base_model", baseModel)
	run.meter.record("tuft.sampling.output_tokens", float64(16+run.rng.IntN(500)), "base_model", baseModel)
}

func (run *tuftRun) countRedis(operation string) {
	run.meter.record("tuft.redis.operation.duration", between(run.rng, 0.0001, 0.002), "operation", operation)
}

func (run *tuftRun) metrics() {
	run.meter.record("tuft.training.models.active", 1, "base_model", baseModel)
	run.meter.record("tuft.training.models.active", -float64(run.scenarios%2), "base_model", baseModel)
	run.meter.record("tuft.training.tokens_per_second", between(run.rng, 500, 4000), "base_model", baseModel)
	run.meter.record("tuft.training.checkpoints.saved", 1, "model_id", run.model)
	run.meter.record("tuft.training.checkpoint.size_bytes", between(run.rng, 1e7, 5e8), "model_id", run.model)
	run.meter.record("tuft.sampling.sessions.active", 1, "base_model", baseModel)
	run.meter.record("tuft.sampling.sessions.active", -float64(run.scenarios%2), "base_model", baseModel)

	run.http.record("http.server.active_requests", 1, "http.method", "POST", "http.scheme", "http")
	run.http.record("http.server.active_requests", -1, "http.method", "POST", "http.scheme", "http")
	run.http.record("http.server.response.size", between(run.rng, 80, 900), "http.method", "POST", "http.status_code", 200)

	const memory, gpuMemory = 512 << 30, 80 << 30
	used := between(run.rng, 0.2, 0.8)
	run.resources.record("tuft.resource.cpu.utilization_percent", between(run.rng, 5, 95))
	run.resources.record("tuft.resource.memory.used_bytes", used*memory)
	run.resources.record("tuft.resource.memory.total_bytes", memory)
	run.resources.record("tuft.resource.memory.utilization_percent", 100*used)
	run.resources.record("tuft.resource.process.memory_used_bytes", between(run.rng, 2e9, 6e9))
	for i := range 2 {
		id := fmt.Sprint(i)
		run.resources.record("tuft.resource.gpu.utilization_percent", float64(run.rng.IntN(101)), "gpu_id", id)
		run.resources.record("tuft.resource.gpu.memory_used_bytes", between(run.rng, 1e10, gpuMemory), "gpu_id", id)
		run.resources.record("tuft.resource.gpu.memory_total_bytes", gpuMemory, "gpu_id", id)
	}
	run.server.export(run.meter, run.resources, run.http)
}
