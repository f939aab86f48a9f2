// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/internal/aggregate"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// FuzzMetrics processes everything that decodes, repeatedly and with several settings. It
// must not panic, audit mode must not change a byte, and there must not be more points
// than before.
func FuzzMetrics(f *testing.F) {
	settings := []func(*Config){
		nil,
		func(cfg *Config) { cfg.DropAttributes, cfg.Limit = nil, 1 },
		func(cfg *Config) {
			cfg.AttributeLimits = map[string]int{"kept": 1, "user": 1}
			cfg.Overrides = []OverridesItem{{Metric: "*", Gauge: "mean", Summary: summaryFold}}
		},
		func(cfg *Config) { cfg.ServiceLimit = 1 },
		func(cfg *Config) {
			cfg.Overrides = []OverridesItem{{Metric: "*", Gauge: "sum", KeepAttributes: []string{}}}
			cfg.MemoryLimitMib = 1
		},
		func(cfg *Config) { cfg.Mode, cfg.Limit = policy.Audit, 1 },
	}
	marshaler := &pmetric.ProtoMarshaler{}
	add := func(md pmetric.Metrics) {
		data, err := marshaler.MarshalMetrics(md)
		require.NoError(f, err)
		for which := range settings {
			f.Add(byte(which), data)
		}
	}
	start := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for _, name := range scenario.Names() {
		generator, err := scenario.New(name, 1, start)
		require.NoError(f, err)
		add(generator.Next(start.Add(time.Second)).Metrics)
	}
	for i, kind := range kindsOfMetrics {
		h := newHistory(rand.New(rand.NewPCG(uint64(i), 5)), kind, start)
		add(h.request(h.step()))
	}
	for _, put := range odd {
		md, m := emptyMetric("s", "m")
		attrs := m.SetEmptyGauge().DataPoints().AppendEmpty().Attributes()
		put(attrs)
		if marshaler.MetricsSize(md) < 1000 {
			add(md)
		}
	}
	f.Fuzz(func(t *testing.T, which byte, data []byte) {
		whole, err := (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(data)
		if err != nil {
			return
		}
		want, err := marshaler.MarshalMetrics(whole)
		require.NoError(t, err)
		repairs := pmetric.NewMetrics()
		whole.CopyTo(repairs)
		sound := outOfBounds(repairs) == aggregate.Within
		change := settings[int(which)%len(settings)]
		packs := []any{"pytango"}
		if which%2 == 1 {
			packs = []any{conventions.Builtins}
		}
		r := newRig(t, change, packs...)
		for range 3 {
			md := pmetric.NewMetrics()
			whole.CopyTo(md)
			out := r.process(md)
			require.LessOrEqual(t, out.DataPointCount(), whole.DataPointCount())
			if sound && r.p.user.Current().policy.Audit("") {
				got, err := marshaler.MarshalMetrics(out)
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
		}
		// The series can be saved.
		copySeries(t, r.p, newRig(t, change, packs...).p)
	})
}

// outOfBounds returns what is wrong with a point that exporters cannot send, or Within.
func outOfBounds(md pmetric.Metrics) (worst aggregate.Bounds) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				switch m.Type() {
				case pmetric.MetricTypeHistogram:
					for _, dp := range m.Histogram().DataPoints().All() {
						worst = max(worst, aggregate.BoundHistogram(dp))
					}
				case pmetric.MetricTypeExponentialHistogram:
					for _, dp := range m.ExponentialHistogram().DataPoints().All() {
						worst = max(worst, aggregate.BoundExponential(dp))
					}
				case pmetric.MetricTypeSummary:
					for _, dp := range m.Summary().DataPoints().All() {
						worst = max(worst, aggregate.BoundSummary(dp))
					}
				}
			}
		}
	}
	return worst
}
