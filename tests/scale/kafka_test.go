// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/exporter/kafkaexporter"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/exporter"

	"github.com/otelcol-tc/otelcol-tc/tests/loopback"
)

// startKafka starts a broker with as many partitions as gateways, and returns the settings of agents that write to it.
func startKafka(t *testing.T) component.Config {
	t.Helper()
	addresses, err := loopback.FreeAddresses(1)
	require.NoError(t, err)
	_, text, err := net.SplitHostPort(addresses[0])
	require.NoError(t, err)
	port, err := strconv.Atoi(text)
	require.NoError(t, err)
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(port), kfake.SeedTopics(gateways, "otlp_spans", "otlp_metrics", "otlp_logs"))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	t.Setenv("OTELCOL_TC_KAFKA_BROKERS", fmt.Sprintf("[%q]", addresses[0]))
	cfg := kafkaexporter.NewFactory().CreateDefaultConfig()
	configure(t, cfg, "exporters::kafka", "builtin:agent", "builtin:fragments/agent-kafka")
	return cfg
}

// Kafka gets about 0.5 GB a second, if SDKs export 25 spans at a time, scrapes have one page, and 25 lines come together.
func TestKafka(t *testing.T) {
	f, cfg, random := kafkaexporter.NewFactory(), startKafka(t), rand.New(rand.NewPCG(1, 2))
	total := 0.0
	rateOf := func(what string, items, each int, start func(exporter.Settings) func(pod int) error) {
		telemetry := newCounts(t)
		send := start(exporter.Settings{ID: component.NewID(f.Type()), TelemetrySettings: telemetry.NewTelemetrySettings()})
		for pod := range 100 {
			require.NoError(t, send(pod))
		}
		bytes := telemetry.sum("otelcol_kafka_exporter_bytes") / float64(100*items)
		raw := telemetry.sum("otelcol_kafka_exporter_bytes_uncompressed") / float64(100*items)
		t.Logf("%s: %.1f bytes each, %.1f uncompressed", what, bytes, raw)
		total += bytes * float64(each) * nodes
	}
	rateOf("spans", 25, spans, func(set exporter.Settings) func(int) error {
		e, err := f.CreateTraces(t.Context(), set, cfg)
		run(t, host{}, e, err)
		return func(pod int) error { return e.ConsumeTraces(t.Context(), exported(random, pod, 5)) }
	})
	rateOf("points", seriesOfPod, points, func(set exporter.Settings) func(int) error {
		e, err := f.CreateMetrics(t.Context(), set, cfg)
		run(t, host{}, e, err)
		return func(pod int) error { return e.ConsumeMetrics(t.Context(), scraped(pod, metricsOfPod, seriesOfPod, 1)) }
	})
	rateOf("records", 25, records, func(set exporter.Settings) func(int) error {
		e, err := f.CreateLogs(t.Context(), set, cfg)
		run(t, host{}, e, err)
		return func(pod int) error { return e.ConsumeLogs(t.Context(), written(random, pod, 25)) }
	})
	t.Logf("all: %.2f GB a second", total/1e9)
	assert.InEpsilon(t, 0.5e9, total, 0.2)
}
