// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-tc/otelcol-tc/internal/attributes"
	"github.com/otelcol-tc/otelcol-tc/tests/pipetest"
	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

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
