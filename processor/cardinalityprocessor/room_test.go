// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/tests/soak"
)

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
