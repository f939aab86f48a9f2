// SPDX-License-Identifier: Apache-2.0

package readinessextension

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSamplesOfARealPage(t *testing.T) {
	assert.Equal(t, map[exporterKey]sample{
		{"exporter/otlp_http/good", "traces"}: {capacity: 1000, sent: 5},
		{"exporter/otlp_http/away", "traces"}: {capacity: 3, size: 3},
		{"exporter/otlp_http/bad", "traces"}:  {capacity: 1000, failed: 5},
	}, samplesOf(realPage(t)))
}

func TestSamplesWithSuffixes(t *testing.T) {
	families := parse(t, `
otelcol_exporter_sent_metric_points_total{exporter="a",server_address="1"} 2
otelcol_exporter_sent_metric_points_total{exporter="a",server_address="2"} 3
otelcol_exporter_send_failed_log_records_total{exporter="a"} 4
otelcol_exporter_in_flight_requests{exporter="a",data_type="logs"} 9
`)
	assert.Equal(t, map[exporterKey]sample{{"exporter/a", "metrics"}: {sent: 5}, {"exporter/a", "logs"}: {failed: 4}}, samplesOf(families))
}

// An exporter behind a spillover connector returns what it does not send, and nothing is lost by that.
func TestSamplesOfSpillover(t *testing.T) {
	families := parse(t, `
otelcol_spillover_queue_bytes{connector="spillover",signal="traces"} 7
otelcol_spillover_queue_capacity{connector="spillover",signal="traces"} 100
otelcol_spillover_sent_items_total{connector="spillover",signal="traces",path="direct"} 2
otelcol_spillover_sent_items_total{connector="spillover",signal="traces",path="queue"} 3
otelcol_spillover_refused_items_total{connector="spillover",signal="traces",path="queue"} 4
otelcol_spillover_full{connector="spillover",signal="traces",reason="queue_full"} 0
otelcol_spillover_full{connector="spillover",signal="traces",reason="disk_full"} 1
otelcol_exporter_send_failed_spans_total{exporter="otlp_http"} 9
otelcol_exporter_sent_spans_total{exporter="rendezvous/files"} 1
otelcol_exporter_queue_capacity{exporter="rendezvous/files",data_type="traces"} 50
`)
	assert.Equal(t, map[exporterKey]sample{
		{"connector/spillover", "traces"}:       {size: 7, capacity: 100, sent: 5, failed: 4, diskFull: true},
		{"exporter/rendezvous/files", "traces"}: {sent: 1, capacity: 50},
	}, samplesOf(families))
}
