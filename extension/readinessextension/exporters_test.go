package readinessextension

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestSamplesOfARealPage(t *testing.T) {
	assert.Equal(t, map[exporterKey]sample{
		{"otlp_http/good", "traces"}: {capacity: 1000, sent: 5},
		{"otlp_http/away", "traces"}: {capacity: 3, size: 3},
		{"otlp_http/bad", "traces"}:  {capacity: 1000, failed: 5},
	}, samplesOf(realPage(t)))
}

func TestSamplesWithSuffixes(t *testing.T) {
	families := parse(t, `
otelcol_exporter_sent_metric_points_total{exporter="a",server_address="1"} 2
otelcol_exporter_sent_metric_points_total{exporter="a",server_address="2"} 3
otelcol_exporter_send_failed_log_records_total{exporter="a"} 4
otelcol_exporter_in_flight_requests{exporter="a",data_type="logs"} 9
`)
	assert.Equal(t, map[exporterKey]sample{{"a", "metrics"}: {sent: 5}, {"a", "logs"}: {failed: 4}}, samplesOf(families))
}

func TestConditionsOfARealPage(t *testing.T) {
	m := &selfMetrics{config: defaultConfig().(*Config)}
	now := time.Now()
	m.start(now, true)
	m.read(now, realPage(t))
	var keys []string
	for _, c := range m.conditions(now) {
		keys = append(keys, c.key())
	}
	assert.Equal(t, []string{"no_pods processor/k8s_attributes ", "queue_full exporter/otlp_http/away traces"}, keys)
}
