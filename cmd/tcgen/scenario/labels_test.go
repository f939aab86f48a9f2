// SPDX-License-Identifier: Apache-2.0

package scenario_test

import (
	"testing"

	"github.com/otelcol-tc/otelcol-tc/internal/datapoints"
)

// TestMetricsCarryIDs holds the metrics against the ids that design/systems.md says
// are among their attributes: each with several values, as in a real cluster.
func TestMetricsCarryIDs(t *testing.T) {
	f := func(system string, want map[string][]string) {
		t.Helper()
		generator, batches := generate(t, system, 1)
		values := map[string]map[string]bool{} // by metric and key
		add := func(metric, key, value string) {
			at := metric + "{" + key + "}"
			if values[at] == nil {
				values[at] = map[string]bool{}
			}
			values[at][value] = true
		}
		for _, b := range batches {
			for _, m := range metrics(b) {
				for attributes := range datapoints.Attributes(m) {
					for key, value := range attributes.All() {
						add(m.Name(), key, value.AsString())
					}
				}
			}
		}
		for _, family := range gather(t, generator) {
			for _, metric := range family.GetMetric() {
				for _, label := range metric.GetLabel() {
					add("scraped "+family.GetName(), label.GetName(), label.GetValue())
				}
			}
		}
		for key, metrics := range want {
			for _, metric := range metrics {
				if n := len(values[metric+"{"+key+"}"]); n < 3 {
					t.Errorf("%s: %s has %d values of %s", system, metric, n, key)
				}
			}
		}
	}

	f("tensorcast", map[string][]string{
		"tc.request.id":  {"tc_rpc_requests_total", "tc_rpc_errors_total", "tc_rpc_duration_seconds"},
		"tc.artifact.id": {"tc_rpc_requests_total", "tc_rpc_errors_total", "tc_rpc_duration_seconds"},
		"tc_request_id":  {"scraped tc_rpc_requests_total", "scraped tc_rpc_duration_seconds"},
		"tc_artifact_id": {"scraped tc_rpc_requests_total", "scraped tc_rpc_duration_seconds"},
		"view_id_prefix": {"tc_artifact_load_seconds", "scraped tc_artifact_load_seconds"},
		"artifact_id": {
			"scraped tc_replica_register_total", "scraped tc_replica_unregister_total", "scraped tc_replicas_per_artifact",
			"scraped tc_transport_requests_total", "scraped tc_transport_wait_seconds", "scraped tc_transport_filter_total",
			"scraped tc_transport_no_exportable_total", "scraped tc_transport_source_top1_share", "scraped tc_transport_source_hhi",
			"scraped tc_view_partial_backlog_bytes",
		},
		"view_id": {"scraped tc_view_partial_backlog_bytes"},
	})
	f("tuft", map[string][]string{
		"model_id": {"tuft.futures.created", "tuft.training.checkpoints.saved", "tuft.training.checkpoint.size_bytes"},
	})
	f("fastdeploy", map[string][]string{
		"address": {"scraped fastdeploy:zmq:msg_send_total", "scraped fastdeploy:zmq:latency"},
		"path":    {"scraped http_requests_total", "scraped http_request_duration_seconds"},
	})
}
