// SPDX-License-Identifier: Apache-2.0

package naming

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

func TestMetricNames(t *testing.T) {
	n := newNamer(t, Options{Exempt: []string{"http.*", "system.*", "up", "scrape_*", "process_*"}})
	f := func(from source, name, want string, rule Rule) {
		t.Helper()
		d := n.Metric(from.owner(n), name)
		assert.Equal(t, want, d.Name, name)
		assert.Equal(t, rule, d.Rule, name)
		again := n.Metric(from.owner(n), d.Name)
		assert.Equal(t, want, again.Name, "a second time: %s", name)
		if rule != Unnameable {
			assert.Contains(t, []Rule{Conformant, Exempt}, again.Rule, "a second time: %s", name)
		}
	}

	// The four supported systems.
	f(daemon, "tc_p2p_bytes_total", "tc_p2p_bytes_total", Conformant)
	f(daemon, "tensorcast_memory_tier_stable_bytes", "tc_memory_tier_stable_bytes", MetricPrefix)
	f(source{}, "tensorcast_memory_tier_rehydrate_p99_ns", "tc_memory_tier_rehydrate_p99", MetricRename)
	f(source{}, "tc_replicas_total", "tc_replicas", MetricRename)
	f(source{}, "tc.replicas.total", "tc_replicas", MetricGeneral)
	f(source{}, "tc_pinned_budget_exhausted_total", "tc_pinned_budget_exhausted_total", Conformant)
	f(source{}, "fastdeploy:spec_decode_draft_single_head_acceptance_rate_1", "tc_fastdeploy_spec_decode_draft_single_head_acceptance_rate", MetricRename)
	f(source{}, "fastdeploy:zmq:latency", "tc_fastdeploy_zmq_latency", MetricPrefix)
	f(daemon, "tensorcast_tc_bytes", "tc_bytes", MetricPrefix)
	f(tuft, "tuft.training.tokens_per_second", "tc_tuft_training_tokens", MetricRename)
	f(tuft, "tuft.sampling.output_tokens", "tc_tuft_sampling_output_tokens", MetricPrefix)
	f(source{}, "tuft.resource.gpu.memory_used_bytes", "tc_tuft_resource_gpu_memory_used_bytes", MetricPrefix)
	f(fastdeploy, "fastdeploy:num_requests_running", "tc_fastdeploy_num_requests_running", MetricPrefix)
	f(fastdeploy, "fastdeploy:zmq:msg_send_total", "tc_fastdeploy_zmq_msg_send_total", MetricPrefix)
	f(source{"", "fastdeploy", ""}, "first_token_latency", "tc_fastdeploy_first_token_latency", MetricRename)
	f(source{"", "fastdeploy", ""}, "http_requests_total", "tc_fastdeploy_http_requests_total", MetricPrefix)
	f(unowned, "http_requests_total", "tc_http_requests_total", MetricGeneral)

	// The general rule.
	f(unowned, "tc.Foo", "tc_foo", MetricGeneral)
	f(unowned, "numRequests", "tc_num_requests", MetricGeneral)
	f(unowned, "HTTPServer-latency:p99", "tc_http_server_latency_p99", MetricGeneral)
	f(unowned, "P2PBytes", "tc_p2p_bytes", MetricGeneral)
	f(unowned, "tc__double___gap_", "tc_double_gap", MetricGeneral)
	f(unowned, "9lives", "tc_9lives", MetricGeneral)
	// A hash keeps letters of other scripts apart.
	f(unowned, "größe", "tc_groe_pppkhglb", MetricGeneral)
	f(unowned, "große", "tc_groe_dfpgknke", MetricGeneral)
	f(unowned, "处理", "tc_edfhbjgl", MetricGeneral)
	f(unowned, "\xff\xfebytes", "tc_bytes", MetricGeneral)
	for _, name := range []string{"", "tc_", "tc", "___", "…"} {
		f(unowned, name, name, Unnameable)
	}

	// Exempt names.
	for _, name := range []string{"http.server.request.duration", "system.cpu.time", "up", "scrape_duration_seconds", "process_cpu_seconds_total"} {
		f(tuft, name, name, Exempt)
	}
	f(unowned, "uptime", "tc_uptime", MetricGeneral)
}

func TestMetricNamesWithOwnPrefix(t *testing.T) {
	n := newNamer(t, Options{Prefix: "acme_"})
	f := func(from source, name, want string) {
		t.Helper()
		assert.Equal(t, want, n.Metric(from.owner(n), name).Name)
	}
	f(tuft, "tuft.sampling.requests", "acme_tuft_sampling_requests")
	f(daemon, "tensorcast_x", "acme_x")
	f(source{"", "fastdeploy", ""}, "infer_latency", "acme_fastdeploy_infer_latency")
	f(unowned, "tc_foo", "acme_foo")
	f(unowned, "acme.Foo", "acme_foo")
	f(unowned, "acme_foo", "acme_foo")
}

func TestMetricRepairs(t *testing.T) {
	n := newNamer(t, Options{})
	f := func(name string, want conventions.MetricRule) {
		t.Helper()
		repairs := n.Metric(nil, name).Repairs
		require.NotEmpty(t, repairs, name)
		assert.Equal(t, want, conventions.MetricRule{Type: repairs[0].Type, Unit: repairs[0].Unit, Convert: repairs[0].Convert}, name)
	}
	f("tc_pinned_budget_exhausted_total", conventions.MetricRule{Type: conventions.TypeCounter})
	f("tensorcast_memory_tier_rehydrate_p99_ns", conventions.MetricRule{Unit: "ns", Convert: "s"})
	f("fastdeploy:zmq:latency", conventions.MetricRule{Unit: "ms", Convert: "s"})
	f("tc_artifact_load_seconds", conventions.MetricRule{Unit: "s"})
	assert.Empty(t, n.Metric(nil, "tuft.futures.created").Repairs)
}

func TestConvert(t *testing.T) {
	f := func(from, to string, value, want float64) {
		t.Helper()
		c, ok := conventions.Convert(from, to)
		require.True(t, ok, "%s to %s", from, to)
		assert.Equal(t, want, c.Apply(value), "%s to %s", from, to)
	}
	f("ms", "s", 1500, 1.5)
	f("ms", "s", 3, 0.003)
	f("s", "ms", 0.25, 250)
	f("us", "ms", 7, 0.007)
	f("min", "s", 2, 120)
	f("KiBy", "By", 3, 3072)
	f("%", "1", 12.5, 0.125)
	f("s", "s", 1, 1)
	for _, pair := range [][2]string{{"s", "By"}, {"", "s"}, {"s", ""}, {"furlong", "furlong"}} {
		_, ok := conventions.Convert(pair[0], pair[1])
		assert.False(t, ok, "%v", pair)
	}
}

func TestMetricUnits(t *testing.T) {
	n := newNamer(t, Options{})
	f := func(owner *System, unit, want string, ok bool) {
		t.Helper()
		got, gotOK := n.Unit(owner, unit)
		assert.Equal(t, want, got)
		assert.Equal(t, ok, gotOK)
	}
	f(tuft.owner(n), "tokens/s", "{token}/s", true)
	f(tuft.owner(n), "{token}/s", "", false)
	f(tuft.owner(n), "s", "", false)
	f(daemon.owner(n), "tokens", "", false)
	f(nil, "tokens", "", false)
}

func TestValidateOptions(t *testing.T) {
	for _, prefix := range []string{"tc", "_", "9_", "Tc_", ""} {
		assert.EqualError(t, ValidatePrefix(prefix),
			fmt.Sprintf("prefix: must be lower_snake_case and end in an underscore, such as tc_ (got %q)", prefix))
	}
	assert.NoError(t, ValidatePrefix("acme_x9_"))
}

func TestCanBeConformant(t *testing.T) {
	n := newNamer(t, Options{})
	for _, name := range []string{"tc_foo", "TC_Foo", "tc_"} {
		assert.True(t, n.CanBeConformant(name), name)
	}
	for _, name := range []string{"", "tc", "tc.foo", "tcp_connections", "node_cpu", "_tc_x"} {
		assert.False(t, n.CanBeConformant(name), name)
	}
}
