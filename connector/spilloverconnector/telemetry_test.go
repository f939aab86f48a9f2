// SPDX-License-Identifier: Apache-2.0

package spilloverconnector

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/otelcol-tc/otelcol-tc/connector/spilloverconnector/internal/metadatatest"
)

// readings are the metrics as maps from the value of one attribute, or "" without it.
type readings map[string]map[string]float64

func read(t *testing.T, telemetry *componenttest.Telemetry, key string) readings {
	t.Helper()
	var all metricdata.ResourceMetrics
	require.NoError(t, telemetry.Reader.Collect(context.Background(), &all))
	values := readings{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			values[m.Name] = map[string]float64{}
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				add(values[m.Name], data.DataPoints, key)
			case metricdata.Gauge[int64]:
				add(values[m.Name], data.DataPoints, key)
			case metricdata.Gauge[float64]:
				add(values[m.Name], data.DataPoints, key)
			}
		}
	}
	return values
}

func add[N int64 | float64](to map[string]float64, points []metricdata.DataPoint[N], key string) {
	for _, point := range points {
		label, _ := point.Attributes.Value(attribute.Key(key))
		to[label.AsString()] += float64(point.Value)
	}
}

func TestTelemetry(t *testing.T) {
	telemetry := componenttest.NewTelemetry()
	cfg, b := quick(t.TempDir()), &backend{}
	c := startWith(t, metadatatest.NewSettings(telemetry), cfg, b)
	state := func(want string) {
		t.Helper()
		eventually(t, func() bool { return read(t, telemetry, stateKey)["otelcol_spillover_state"][want] == 1 })
	}
	require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed("a", "b")))
	state(direct)

	b.set(always(errNow))
	require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed("c", "d", "e")))
	state(spilling)
	eventually(t, func() bool { return read(t, telemetry, pathKey)["otelcol_spillover_oldest_age"][""] > 0 })
	got := read(t, telemetry, pathKey)
	assert.Equal(t, map[string]float64{direct: 2, queued: 0}, got["otelcol_spillover_sent_items"])
	assert.Equal(t, 3.0, got["otelcol_spillover_queued_items"][""])
	assert.Equal(t, 3.0, got["otelcol_spillover_queue_items"][""])
	assert.Positive(t, got["otelcol_spillover_queue_bytes"][""])
	assert.InDelta(t, cfg.QueueSize, got["otelcol_spillover_queue_capacity"][""], 0)
	assert.Positive(t, got["otelcol_spillover_failed_attempts"][direct])
	assert.Equal(t, map[string]float64{queueFull: 0, diskFull: 0}, read(t, telemetry, reasonKey)["otelcol_spillover_full"])

	b.set(func(_ context.Context, md pmetric.Metrics) error {
		if slices.Contains(namesOf(md), "d") {
			return errNever
		}
		return nil
	})
	state(direct)
	got = read(t, telemetry, pathKey)
	assert.Equal(t, map[string]float64{direct: 2, queued: 2}, got["otelcol_spillover_sent_items"])
	assert.Equal(t, 1.0, got["otelcol_spillover_refused_items"][queued])
	assert.Equal(t, 1.0, got["otelcol_spillover_dead_letter_items"][""])
	require.NoError(t, c.Shutdown(context.Background()))
}

// With a queue that is full, the gauge and the counter say why, until there is room.
func TestTelemetryOfAFullQueue(t *testing.T) {
	telemetry := componenttest.NewTelemetry()
	cfg, b := quick(t.TempDir()), &backend{answer: always(errNow)}
	cfg.MinFree = 1 << 60
	c := startWith(t, metadatatest.NewSettings(telemetry), cfg, b)
	require.Error(t, c.ConsumeMetrics(t.Context(), metricsNamed("a", "b")))
	got := read(t, telemetry, reasonKey)
	assert.Equal(t, map[string]float64{queueFull: 0, diskFull: 1}, got["otelcol_spillover_full"])
	assert.Equal(t, map[string]float64{diskFull: 2}, got["otelcol_spillover_rejected_items"])
	b.set(nil)
	require.NoError(t, c.ConsumeMetrics(t.Context(), metricsNamed("a", "b")))
	got = read(t, telemetry, reasonKey)
	assert.Equal(t, map[string]float64{queueFull: 0, diskFull: 0}, got["otelcol_spillover_full"], "nothing needs room while data goes directly")
	require.NoError(t, c.Shutdown(context.Background()))
}
