// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
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
