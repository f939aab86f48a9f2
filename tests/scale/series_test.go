// SPDX-License-Identifier: Apache-2.0

package scale

import (
	"cmp"
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"
	"go.uber.org/zap"

	"github.com/otelcol-tc/otelcol-tc/extension/conventionsextension"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor"
)

// total adds up the values that leave a gateway: the last one of overflow series, whose points come with each request.
type total struct {
	series   float64
	overflow map[string]float64
}

// Capabilities implements consumer.Metrics.
func (*total) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

// ConsumeMetrics implements consumer.Metrics.
func (s *total) ConsumeMetrics(_ context.Context, md pmetric.Metrics) error {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				for _, dp := range m.Sum().DataPoints().All() {
					if _, ok := dp.Attributes().Get("otel.metric.overflow"); ok {
						instance, _ := rm.Resource().Attributes().Get("service.instance.id")
						s.overflow[m.Name()+instance.Str()] = dp.DoubleValue()
					} else {
						s.series += dp.DoubleValue()
					}
				}
			}
		}
	}
	return nil
}

// end returns the sum of all series, and begins the next scrape.
func (s *total) end() float64 {
	sum := s.series
	for _, value := range s.overflow {
		sum += value
	}
	s.series = 0
	return sum
}

// held says how a gateway holds its share of the series.
type held struct {
	series, bytes, heap float64
	mergedAt, fullAt    float64 // the nodes with which a series no longer has a place, and with which memory is full
	grown, unknown      float64 // of the growth of all series: what came out, and what was counted as lost
}

// holdSeries gives a gateway three scrapes of its share of the pods. Budgets of zero are those of the profile.
func holdSeries(t *testing.T, memory, serviceLimit int) (h held) {
	t.Helper()
	packs, f, size := conventionsextension.NewFactory(), cardinalityprocessor.NewFactory(), divisor()
	conventions := packs.CreateDefaultConfig()
	configure(t, conventions, "extensions::conventions", "builtin:gateway")
	extension, err := packs.Create(t.Context(), extensiontest.NewNopSettings(packs.Type()), conventions)
	require.NoError(t, err)
	extensions := host{component.NewID(packs.Type()): extension}
	run(t, extensions, extension, nil)

	cfg, telemetry := f.CreateDefaultConfig().(*cardinalityprocessor.Config), newCounts(t)
	configure(t, cfg, "processors::cardinality", "builtin:gateway")
	cfg.StateDirectory = ""
	cfg.MemoryLimitMib, cfg.ServiceLimit = cmp.Or(memory, cfg.MemoryLimitMib)/size, cmp.Or(serviceLimit, cfg.ServiceLimit)/size
	set := processor.Settings{ID: component.NewID(f.Type()), TelemetrySettings: telemetry.NewTelemetrySettings()}
	set.Logger = zap.NewNop() // it would warn of each budget
	out, before := &total{overflow: map[string]float64{}}, heap()
	p, err := f.CreateMetrics(t.Context(), set, cfg, out)
	run(t, extensions, p, err)

	share := int(nodesOfGateway * pods / float64(size))
	scrape := func(value float64, eachPod func(nodes float64)) (sum, unknown float64) {
		lost := telemetry.sum("otelcol_cardinality_untracked_points", "outcome", "baseline")
		for pod := range share {
			require.NoError(t, p.ConsumeMetrics(t.Context(), scraped(pod, metricsOfPod, seriesOfPod, value)))
			eachPod(float64((pod+1)*size) / pods)
		}
		return out.end(), telemetry.sum("otelcol_cardinality_untracked_points", "outcome", "baseline") - lost
	}
	none := func(float64) {}
	scrape(1, func(nodes float64) {
		if h.mergedAt == 0 && telemetry.sum("otelcol_cardinality_folded_points") > 0 {
			h.mergedAt = nodes
		}
		if h.fullAt == 0 && telemetry.sum("otelcol_cardinality_untracked_points") > 0 {
			h.fullAt = nodes
		}
	})
	second, _ := scrape(2, none)
	third, unknown := scrape(3, none)
	require.Zero(t, telemetry.sum("otelcol_cardinality_dropped_points"))
	h.grown, h.unknown = (third-second)/float64(share*seriesOfPod), unknown/float64(share*seriesOfPod)
	h.heap = (heap() - before) * float64(size)
	h.series = telemetry.sum("otelcol_cardinality_series") * float64(size)
	h.bytes = telemetry.sum("otelcol_cardinality_memory") * float64(size)
	return h
}
