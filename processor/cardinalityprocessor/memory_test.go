// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/conventions"
	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

// requireBounded requires that the charged memory is not more than the limit and its reserve, but for the last
// service. tests/cardinality measures that the process takes no more than what is charged.
func (r *rig) requireBounded(what string) {
	r.t.Helper()
	memory := &r.p.store.Memory
	assert.NotZero(r.t, memory.Used.Load(), what)
	assert.LessOrEqual(r.t, memory.Used.Load(), memory.Limit+memory.Reserve+1024, what)
}

// TestMemoryOfHostileNames sends distinct names of services, resources, scopes, metrics, units, attributes and
// values, in more points than there is memory for.
func TestMemoryOfHostileNames(t *testing.T) {
	soak.Sequential(t)
	type request struct {
		resource pmetric.ResourceMetrics
		metric   pmetric.Metric
	}
	for name, put := range map[string]func(request, string){
		"services":  func(r request, text string) { r.resource.Resource().Attributes().PutStr("service.name", text) },
		"resources": func(r request, text string) { r.resource.Resource().Attributes().PutStr("host", text) },
		"scopes":    func(r request, text string) { r.resource.ScopeMetrics().At(0).Scope().SetName(text) },
		"metrics":   func(r request, text string) { r.metric.SetName(text) },
		"units":     func(r request, text string) { r.metric.SetUnit(text) },
		"keys":      func(r request, text string) { r.metric.Sum().DataPoints().At(0).Attributes().PutStr(text, "v") },
		"values":    func(r request, text string) { r.metric.Sum().DataPoints().At(0).Attributes().PutStr("user", text) },
		"ids":       func(r request, text string) { r.metric.Sum().DataPoints().At(0).Attributes().PutStr("id", text) },
	} {
		r := newRig(t, func(cfg *Config) {
			cfg.MemoryLimitMib, cfg.AttributeLimits, cfg.Limit, cfg.ServiceLimit = 1, map[string]int{"user": 1 << 30}, 1<<30, 0
		}, conventions.Builtins)
		for i := range 15_000 {
			md := r.counters(pt{"", 1, 10, 1})
			rm := md.ResourceMetrics().At(0)
			put(request{rm, rm.ScopeMetrics().At(0).Metrics().At(0)}, fmt.Sprint(strings.Repeat("x", 200), i))
			r.process(md)
		}
		r.requireBounded(name)
	}
}

// TestMemoryOfGrowingHistograms checks that streams whose histograms grow stay within the
// memory limit.
func TestMemoryOfGrowingHistograms(t *testing.T) {
	r := newRig(t, func(cfg *Config) { cfg.MemoryLimitMib = 4 })
	many := make([]float64, 400)
	for i := range many {
		many[i] = float64(i)
	}
	for at, bounds := range map[float64][]float64{10: nil, 20: many} {
		for i := range 100 {
			var points []hist
			for j := range 50 {
				points = append(points, hist{pt{fmt.Sprint("id=", 50*i+j), 1, at, nil}, bounds, []float64{1}})
			}
			r.process(r.histograms(pmetric.AggregationTemporalityCumulative, points...))
		}
	}
	r.requireBounded("histograms")
}

// TestMemoryIsReleased checks that expired series, streams, histograms and metrics release all memory, including
// their sketches.
func TestMemoryIsReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) {
			cfg.Limit, cfg.MaxStale, cfg.AttributeLimits = 2, time.Minute, map[string]int{"user": 1}
		})
		for i := range 10 {
			attrs := fmt.Sprint("user=", i, " id=", i)
			r.process(both(r.deltas(pt{attrs, 0, 10, 1}), r.counters(pt{attrs, 0, 10, 1}), r.gauges(pt{attrs, 0, 10, 1}),
				r.histograms(pmetric.AggregationTemporalityCumulative, hist{pt{attrs, 1, 10, nil}, []float64{1}, []float64{1}})))
		}
		time.Sleep(5 * time.Minute)
		r.expireAll()
		assert.Zero(t, r.p.store.Memory.Used.Load())
	})
}

// TestMemoryOfExpiredBursts checks that expired series release their memory while their
// metric remains.
func TestMemoryOfExpiredBursts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.MaxStale = time.Minute })
		used := func() int64 { return r.p.store.Memory.Used.Load() }
		r.process(r.deltas(pt{"id=0", 1, 10, 1}))
		var burst []pt
		for i := range 1000 {
			burst = append(burst, pt{fmt.Sprint("id=", i), 1, 20, 1})
		}
		r.process(r.deltas(burst...))
		most := used()
		for i := range 10 {
			time.Sleep(20 * time.Second)
			r.process(r.deltas(pt{"id=0", 1, float64(30 + i), 1}))
			r.expireAll()
		}
		assert.Less(t, used(), most/10)
		assert.Positive(t, used())
	})
}

// TestOneRequestOrMany checks that new metrics are admitted in one request as in many.
func TestOneRequestOrMany(t *testing.T) {
	f := func(requests int) (admitted int64) {
		const metrics = 3000
		r := plainRig(t, func(cfg *Config) { cfg.MemoryLimitMib = 1 })
		sent := 0
		for i := range requests {
			md := pmetric.NewMetrics()
			for j := range metrics / requests {
				r.sum("s", fmt.Sprint("m", i*metrics/requests+j), pmetric.AggregationTemporalityCumulative, true, []pt{{"", 1, 10, 1}}).
					ResourceMetrics().MoveAndAppendTo(md.ResourceMetrics())
			}
			sent += r.process(md).DataPointCount()
		}
		assert.Equal(t, metrics, sent)
		return r.series()
	}
	many := f(3000)
	assert.Equal(t, many, f(1))
	assert.Greater(t, many, int64(100))
	assert.Less(t, many, int64(3000)) // the memory is full
}

// TestRandomServiceNames checks that a sender with random service names neither takes the
// memory from other services nor makes anything be dropped.
func TestRandomServiceNames(t *testing.T) {
	soak.Sequential(t)
	telemetry := componenttest.NewTelemetry()
	r := newRig(t, func(cfg *Config) { cfg.MemoryLimitMib, cfg.Limit = 16, 1<<30 })
	r.countInto(telemetry)
	known := func(series int, second float64) pmetric.Metrics {
		var points []pt
		for i := range series {
			points = append(points, pt{fmt.Sprint("route=", i, " id=", i), 1, second, 1})
		}
		return r.sum("known", "m", pmetric.AggregationTemporalityCumulative, true, points)
	}
	r.process(known(10, 10))
	sent := 0
	for i := range 60_000 {
		sent += r.process(r.sum(fmt.Sprint("random-", i), "m", pmetric.AggregationTemporalityCumulative, true, []pt{{fmt.Sprint("id=", i), 1, 10, 1}})).DataPointCount()
	}
	assert.Equal(t, 60_000, sent)
	out := r.process(known(2000, 20))
	assert.Equal(t, 2000, out.DataPointCount())
	assert.Empty(t, overflows(out))
	assert.Empty(t, labelled(t, telemetry, "otelcol_cardinality_dropped_points", "reason"))
	t.Log(labelled(t, telemetry, "otelcol_cardinality_untracked_points", "outcome"))
}
