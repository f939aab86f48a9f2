// SPDX-License-Identifier: Apache-2.0

package prometheuspageexporter

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/exporter/prometheusexporter"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/tcgen/scenario"
)

// serveStock serves the prometheus exporter with the settings of the earlier profiles.
func serveStock(t testing.TB) *served {
	t.Helper()
	factory := prometheusexporter.NewFactory()
	cfg := factory.CreateDefaultConfig().(*prometheusexporter.Config)
	cfg.ServerConfig.NetAddr.Endpoint = freeAddress(t)
	cfg.TranslationStrategy = "UnderscoreEscapingWithSuffixes"
	cfg.EnableOpenMetrics = true
	e, err := factory.CreateMetrics(t.Context(), exportertest.NewNopSettings(component.MustNewType("prometheus")), cfg)
	require.NoError(t, err)
	return start(t, e, cfg.ServerConfig.NetAddr.Endpoint)
}

// assertSame compares both pages. Only labels without a value may differ.
func assertSame(t *testing.T, stock, ours *served) {
	t.Helper()
	want, got := stock.families(t), ours.families(t)
	require.NotEmpty(t, want)
	assert.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)))
	for name, family := range want {
		assert.Equal(t, canonical(family), canonical(got[name]), name)
	}
}

// For ordinary data of all systems, the page equals the prometheus exporter's.
func TestSameAsStock(t *testing.T) {
	for _, system := range scenario.Names() {
		t.Run(system, func(t *testing.T) {
			stock, ours := serveStock(t), serve(t, nil)
			now := time.Now()
			g, err := scenario.New(system, 1, now.Add(-time.Minute))
			require.NoError(t, err)
			for i := range 5 {
				batch := g.Next(now.Add(time.Duration(i) * time.Second)).Metrics
				stock.consume(t, batch)
				ours.consume(t, batch)
			}
			if stockFamilies := stock.families(t); len(stockFamilies) == 0 {
				assert.Empty(t, ours.families(t), "it sends none")
				return
			}
			assertSame(t, stock, ours)
		})
	}
}

// All types, units, suffixes, scopes and exemplars.
func TestSameAsStockForAllTypes(t *testing.T) {
	stock, ours := serveStock(t), serve(t, nil)
	for round := range 3 {
		batch := pmetric.NewMetrics()
		for i, service := range []string{"shop", "bank"} {
			rm := batch.ResourceMetrics().AppendEmpty()
			resource := rm.Resource().Attributes()
			resource.PutStr("service.name", service)
			resource.PutStr("service.namespace", "city")
			resource.PutStr("service.instance.id", service+"-1")
			resource.PutStr("k8s.pod.name", "pod \"quoted\" \\ and\nlines")
			resource.PutInt("process.pid", 17)
			resource.PutEmptySlice("process.command_args").AppendEmpty().SetStr("--all")
			for _, scope := range []string{"", "library"} {
				sm := rm.ScopeMetrics().AppendEmpty()
				sm.Scope().SetName(scope)
				if scope != "" {
					sm.Scope().SetVersion("1.2")
					sm.SetSchemaUrl("https://example.com/1")
					sm.Scope().Attributes().PutStr("kind", "http server")
				}
				allTypes(t, round, 10*round+2*i+len(scope)).CopyTo(sm.Metrics())
			}
		}
		stock.consume(t, batch)
		ours.consume(t, batch)
		assertSame(t, stock, ours)
	}
	for _, accept := range []string{textFormat, openMetrics} {
		header, body := ours.get(t, accept)
		wantHeader, want := stock.get(t, accept)
		assert.Equal(t, wantHeader.Get("Content-Type"), header.Get("Content-Type"))
		assert.NotEmpty(t, want)
		assert.NotEmpty(t, body)
	}
}
