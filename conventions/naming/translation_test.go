// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/otlptranslator"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNamesAfterPrometheusExport applies the translation of the Prometheus exporters to
// conformant names: no double prefix, unit or suffix, and no change of a name that Prometheus
// accepts.
func TestNamesAfterPrometheusExport(t *testing.T) {
	n := newNamer(t, Options{Exempt: []string{"http.*", "system.*", "up"}})
	translate := otlptranslator.NewMetricNamer("", otlptranslator.UnderscoreEscapingWithSuffixes)
	const (
		counter   = otlptranslator.MetricTypeMonotonicCounter
		upDown    = otlptranslator.MetricTypeNonMonotonicCounter
		gauge     = otlptranslator.MetricTypeGauge
		histogram = otlptranslator.MetricTypeHistogram
	)
	f := func(name, unit string, kind otlptranslator.MetricType, want string) {
		t.Helper()
		d := n.Metric(nil, name)
		if ucum, ok := n.Unit(d.System, unit); ok {
			unit = ucum
		}
		got, err := translate.Build(otlptranslator.Metric{Name: d.Name, Unit: unit, Type: kind})
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
		assert.True(t, model.LegacyValidation.IsValidMetricName(got), got)
	}
	// Counters.
	f("tc_p2p_bytes_total", "", counter, "tc_p2p_bytes_total")
	f("tc_p2p_bytes_total", "By", counter, "tc_p2p_bytes_total")
	f("tc_p2p_bytes", "By", counter, "tc_p2p_bytes_total")
	f("tc.total.hits", "", counter, "tc_hits_total")
	f("fastdeploy:requests_number", "", counter, "tc_fastdeploy_requests_number_total")
	f("fastdeploy:zmq:msg_send_total", "", counter, "tc_fastdeploy_zmq_msg_send_total")
	f("tuft.futures.created", "", counter, "tc_tuft_futures_created_total")
	f("tuft.sampling.output_tokens", "tokens", counter, "tc_tuft_sampling_output_tokens_total")
	f("requests", "{request}", counter, "tc_requests_total")
	// Up-down counters and gauges get no _total.
	f("tuft.training.models.active", "", upDown, "tc_tuft_training_models_active")
	f("queue.depth", "{item}", upDown, "tc_queue_depth")
	f("tc_memory_pool_bytes", "By", gauge, "tc_memory_pool_bytes")
	f("tuft.resource.memory.used_bytes", "bytes", gauge, "tc_tuft_resource_memory_used_bytes")
	f("tuft.resource.gpu.utilization_percent", "%", gauge, "tc_tuft_resource_gpu_utilization_percent")
	f("tuft.training.tokens_per_second", "tokens/s", gauge, "tc_tuft_training_tokens_per_second")
	f("tuft.sampling.tokens_per_second", "tokens/s", gauge, "tc_tuft_sampling_tokens_per_second")
	f("cache.hit_ratio", "1", gauge, "tc_cache_hit_ratio")
	f("tc_replicas_total", "", gauge, "tc_replicas")
	f("temperature", "Cel", gauge, "tc_temperature_celsius")
	// Histograms.
	f("tc_artifact_load_seconds", "", histogram, "tc_artifact_load_seconds")
	f("tc_artifact_load_seconds", "s", histogram, "tc_artifact_load_seconds")
	f("tuft.redis.operation.duration", "s", histogram, "tc_tuft_redis_operation_duration_seconds")
	f("fastdeploy:zmq:latency", "s", histogram, "tc_fastdeploy_zmq_latency_seconds")
	f("tensorcast_memory_tier_rehydrate_p99_ns", "s", gauge, "tc_memory_tier_rehydrate_p99_seconds")
	f("wait.time", "ms", histogram, "tc_wait_time_milliseconds")
	// What the semantic conventions allow, and what they do not.
	f("myapp.cacheHits", "", counter, "tc_myapp_cache_hits_total")
	f("MyApp.Cache-Hits", "", counter, "tc_my_app_cache_hits_total")
	f("myapp..hits", "", gauge, "tc_myapp_hits")
	f("_myapp_", "", gauge, "tc_myapp")
	f("2xx.responses", "", counter, "tc_2xx_responses_total")
	f("disk/io", "By", counter, "tc_disk_io_bytes_total")
	f("a b\tc", "", gauge, "tc_a_b_c")
	f("µs.count", "", gauge, "tc_s_count_djfcdmbh")
	// Names of other conventions stay.
	f("http.server.request.duration", "s", histogram, "http_server_request_duration_seconds")
	f("system.cpu.time", "s", counter, "system_cpu_time_seconds_total")
	f("up", "", gauge, "up")
}

// TestKeysAfterPrometheusExport checks that conformant keys become label names that collide
// neither with each other nor with Prometheus's own.
func TestKeysAfterPrometheusExport(t *testing.T) {
	n := newNamer(t, Options{})
	namer := otlptranslator.LabelNamer{}
	f := func(from source, key, want string) {
		t.Helper()
		if d := n.Attribute(from.owner(n), key); d != nil {
			key = d.Key
		}
		got, err := namer.Build(key)
		require.NoError(t, err, key)
		assert.Equal(t, want, got, key)
	}
	f(tuft, "base_model", "tc_base_model")
	f(tuft, "gpu_id", "tc_gpu_id")
	f(daemon, "artifact_id", "tc_artifact_id")
	f(daemon, "view_id_prefix", "tc_view_id_prefix")
	f(unowned, "tc.Source-Type", "tc_source_type")
	f(unowned, "tc.a:b", "tc_a_b")
	f(unowned, "service.name", "service_name")
}
