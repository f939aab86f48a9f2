// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/attribute"

	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/internal/policy"
	"github.com/otelcol-tc/otelcol-tc/processor/cardinalityprocessor/internal/metadatatest"
	"github.com/otelcol-tc/otelcol-tc/tests/owntelemetry"
	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

// shown returns all values of a component's own metrics, by name and labels.
func shown(t *testing.T, telemetry *componenttest.Telemetry) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	for _, name := range []string{"dropped_points", "folded_points", "integer_overflows", "memory", "points", "series", "streams", "unchecked_points", "untracked_points"} {
		for _, p := range owntelemetry.Points(telemetry, "otelcol_cardinality_"+name) {
			all[name+" "+p.Attributes.Encoded(attribute.DefaultEncoder())] = p.Value
		}
	}
	return all
}

// TestAudit checks that audit mode changes no byte, and has the counts of enforce mode for
// the same input.
func TestAudit(t *testing.T) {
	f := func(seed uint64, kind kindOfMetric, change func(*Config)) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			batches := []pmetric.Metrics{}
			for _, seed := range []uint64{seed, seed + 1000, seed + 2000} { // three services' worth
				h := newHistory(rand.New(rand.NewPCG(seed, 4)), kind, time.Now())
				for range 4 {
					for _, batch := range h.batches(h.step()) {
						batches = append(batches, h.request(batch))
					}
				}
			}
			run := func(mode string) map[string]int64 {
				telemetry := componenttest.NewTelemetry()
				cfg := createDefaultConfig().(*Config)
				cfg.Mode, cfg.DropAttributes, cfg.Limit = mode, []string{"id"}, 2
				change(cfg)
				sink := &consumertest.MetricsSink{}
				p, err := NewFactory().CreateMetrics(t.Context(), metadatatest.NewSettings(telemetry), cfg, sink)
				require.NoError(t, err)
				require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
				for _, batch := range batches {
					md := pmetric.NewMetrics()
					batch.CopyTo(md)
					want, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
					require.NoError(t, err)
					sink.Reset()
					require.NoError(t, p.ConsumeMetrics(t.Context(), md))
					if mode == policy.Audit {
						require.Len(t, sink.AllMetrics(), 1)
						got, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(sink.AllMetrics()[0])
						require.NoError(t, err)
						require.Equal(t, want, got)
					}
				}
				all := shown(t, telemetry)
				require.NoError(t, p.Shutdown(t.Context()))
				require.NoError(t, telemetry.Shutdown(t.Context()))
				return all
			}
			want, got := run(policy.Enforce), run(policy.Audit)
			require.NotZero(t, want["points "])
			// The spare capacity of slices is random.
			require.InEpsilon(t, want["memory "], got["memory "], 0.05)
			got["memory "] = want["memory "]
			require.Equal(t, want, got)
		})
	}
	for i, kind := range kindsOfMetrics {
		for seed := range uint64(5) {
			f(100*uint64(i)+seed, kind, func(*Config) {})
			f(100*uint64(i)+seed, kind, func(cfg *Config) { cfg.AttributeLimits = map[string]int{"kept": 1} })
			f(100*uint64(i)+seed, kind, func(cfg *Config) { cfg.ServiceLimit = 1 })
		}
	}
}

// ofService returns the metrics of one service, as OTLP JSON.
func ofService(all []pmetric.Metrics, service string) []byte {
	own := pmetric.NewMetrics()
	for _, md := range all {
		for _, rm := range md.ResourceMetrics().All() {
			if attributes.Text(rm.Resource().Attributes(), "service.name") == service {
				rm.CopyTo(own.ResourceMetrics().AppendEmpty())
			}
		}
	}
	text, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(own)
	if err != nil {
		panic(err)
	}
	return text
}

// TestAuditOfOneService checks with random histories of two services that what is audited comes out at once
// and byte for byte, and that the other service's points are those without any audit.
func TestAuditOfOneService(t *testing.T) {
	soak.Sequential(t)
	f := func(seed uint64, kind kindOfMetric, change func(*Config)) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			h := newHistory(rand.New(rand.NewPCG(seed, 5)), kind, time.Now())
			h.instances = false
			var batches []pmetric.Metrics
			for range 6 {
				for _, batch := range h.batches(h.step()) {
					batches = append(batches, h.request(batch))
				}
			}
			run := func(conventions string, each func(in, out []pmetric.Metrics)) []pmetric.Metrics {
				host, err := pipetest.NewHost(t.Context(), []byte(conventions))
				require.NoError(t, err)
				cfg := createDefaultConfig().(*Config)
				cfg.DropAttributes = []string{"id"}
				change(cfg)
				sink := &consumertest.MetricsSink{}
				p, err := NewFactory().CreateMetrics(t.Context(), processortest.NewNopSettings(NewFactory().Type()), cfg, sink)
				require.NoError(t, err)
				require.NoError(t, p.Start(t.Context(), host))
				for _, batch := range batches {
					md := pmetric.NewMetrics()
					batch.CopyTo(md)
					before := len(sink.AllMetrics())
					require.NoError(t, p.ConsumeMetrics(t.Context(), md))
					each([]pmetric.Metrics{batch}, sink.AllMetrics()[before:])
				}
				require.NoError(t, p.Shutdown(t.Context()))
				return sink.AllMetrics()
			}
			enforced := run("{}", func(_, _ []pmetric.Metrics) {})
			mixed := run("services: {a: {mode: audit}}", func(in, out []pmetric.Metrics) {
				require.Equal(t, string(ofService(in, "a")), string(ofService(out, "a")))
			})
			require.Equal(t, string(ofService(batches, "a")), string(ofService(mixed, "a")))
			require.Equal(t, string(ofService(enforced, "b")), string(ofService(mixed, "b")))
		})
	}
	for i, kind := range kindsOfMetrics {
		for seed := range uint64(5) {
			f(100*uint64(i)+seed, kind, func(*Config) {})
			f(100*uint64(i)+seed, kind, func(cfg *Config) { cfg.Limit = 1 })
		}
	}
}
