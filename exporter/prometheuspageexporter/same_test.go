// SPDX-License-Identifier: Apache-2.0

package prometheuspageexporter

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/exporter/prometheusexporter"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/cmd/tcgen/scenario"
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
	random := newRandom()
	for round := range 3 {
		batch := pmetric.NewMetrics()
		for _, service := range []string{"shop", "bank"} {
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
				addAllTypes(sm.Metrics(), random, round)
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

func newRandom() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func addAllTypes(metrics pmetric.MetricSlice, random *rand.Rand, round int) {
	at := pcommon.NewTimestampFromTime(someTime.Add(time.Duration(round) * time.Second))
	start := pcommon.NewTimestampFromTime(someTime.Add(-time.Minute))
	add := func(name, unit string) pmetric.Metric {
		m := metrics.AppendEmpty()
		m.SetName(name)
		m.SetUnit(unit)
		m.SetDescription("What " + name + " is.")
		return m
	}
	attributes := func(a pcommon.Map, i int) {
		a.PutStr("http.method", []string{"GET", "POST"}[i])
		a.PutInt("http.status_code", 200)
		a.PutBool("0ok", true)
		a.PutStr("_private", "x")
		a.PutStr("a..b", "two")
		a.PutStr("x中文", "unicode \u4e2d")
	}
	number := func(p pmetric.NumberDataPoint, i int) {
		p.SetTimestamp(at)
		p.SetStartTimestamp(start)
		if i == 0 {
			p.SetIntValue(random.Int64N(100))
		} else {
			p.SetDoubleValue(random.Float64())
		}
		attributes(p.Attributes(), i)
	}
	exemplar := func(all pmetric.ExemplarSlice, v float64) {
		e := all.AppendEmpty()
		e.SetTimestamp(at)
		e.SetDoubleValue(v)
		e.SetTraceID([16]byte{1, byte(round)})
		e.SetSpanID([8]byte{2})
	}
	for _, unit := range []string{"", "1", "By", "s", "By/s", "{request}", "%"} {
		gauge := add("memory.usage "+unit, unit).SetEmptyGauge()
		counter := add("requests "+unit, unit).SetEmptySum()
		counter.SetIsMonotonic(true)
		counter.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		queue := add("queue "+unit, unit).SetEmptySum()
		queue.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		for i := range 2 {
			number(gauge.DataPoints().AppendEmpty(), i)
			p := counter.DataPoints().AppendEmpty()
			number(p, i)
			exemplar(p.Exemplars(), 1)
			exemplar(p.Exemplars(), 2)
			number(queue.DataPoints().AppendEmpty(), i)
		}
	}
	histogram := add("latency", "s").SetEmptyHistogram()
	histogram.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	exponential := add("wait", "ms").SetEmptyExponentialHistogram()
	exponential.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	summary := add("size", "By").SetEmptySummary()
	for i := range 2 {
		h := histogram.DataPoints().AppendEmpty()
		h.SetTimestamp(at)
		h.SetStartTimestamp(start)
		attributes(h.Attributes(), i)
		h.ExplicitBounds().FromRaw([]float64{0, 1, 5})
		h.BucketCounts().FromRaw([]uint64{1, 0, 2, uint64(round)})
		h.SetCount(uint64(3 + round))
		h.SetSum(random.Float64())
		for _, v := range []float64{-1, 0.5, 0.7, 100}[:2+2*i] {
			exemplar(h.Exemplars(), v)
		}
		e := exponential.DataPoints().AppendEmpty()
		e.SetTimestamp(at)
		e.SetStartTimestamp(start)
		attributes(e.Attributes(), i)
		e.SetScale(int32(12 * i)) // 12 is more than a native histogram has
		e.SetZeroCount(2)
		e.Positive().SetOffset(-3)
		e.Positive().BucketCounts().FromRaw([]uint64{1, 0, 0, 0, 2, 3})
		e.Negative().SetOffset(2)
		e.Negative().BucketCounts().FromRaw([]uint64{4})
		e.SetCount(12)
		e.SetSum(random.Float64())
		exemplar(e.Exemplars(), 3)
		s := summary.DataPoints().AppendEmpty()
		s.SetTimestamp(at)
		s.SetStartTimestamp(start)
		attributes(s.Attributes(), i)
		s.SetCount(9)
		s.SetSum(random.Float64())
		for _, q := range []float64{0.99, 0.5} {
			quantile := s.QuantileValues().AppendEmpty()
			quantile.SetQuantile(q)
			quantile.SetValue(random.Float64())
		}
	}
}
