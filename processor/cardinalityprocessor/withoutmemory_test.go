// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-tc/otelcol-tc/internal/settings"
)

// TestStaleMarkerWithoutMemory checks that a stale marker changes nothing if there is no
// memory for its stream.
func TestStaleMarkerWithoutMemory(t *testing.T) {
	r := plainRig(t, func(cfg *Config) { cfg.Limit, cfg.MemoryLimitMib = 1, 1 })
	r.process(r.deltas(pt{"route=/a", 0, 10, 1}))
	r.p.store.Memory.Limit = 0 // full
	out := r.send(r.deltas(pt{"route=/b", 0, 20, 5}, pt{"route=/c", 0, 20, nil}))
	assert.Equal(t, []string{`{otel.metric.overflow=true} ..20 5`}, out)
}

// TestOverflowWithoutStreams checks that overflow points are in order and contiguous even
// if no stream can be stored.
func TestOverflowWithoutStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := plainRig(t, func(cfg *Config) { cfg.Limit, cfg.MaxStale = 1, 10*time.Second })
		r.process(r.deltas(pt{"user=1", 1, 10, 1}))
		time.Sleep(9 * time.Second)
		r.process(r.deltas(pt{"user=1", 10, 19, 1}))
		time.Sleep(9 * time.Second)
		r.p.store.Memory.Limit = 0
		out := r.receivers("delta_sum")
		last := r.at(0)
		for i := range 5 {
			at := float64(20 - i)                                     // senders whose clocks differ
			r.process(r.deltas(pt{"user=1", 20, float64(20 + i), 1})) // keeps the metric
			md := out.read(r.process(r.deltas(pt{fmt.Sprint("user=x", i), 10, at, 1})))
			for _, p := range overflows(md) {
				if i > 0 {
					assert.Equal(t, last, p.start, i)
				}
				last = p.time
			}
			time.Sleep(time.Second)
			r.expireAll()
		}
		assert.InDelta(t, 5, out.total(), 0)
	})
}

// TestAuditCountsWithoutMemory checks that audit mode has the counts of enforce mode even
// if there is no memory for a metric.
func TestAuditCountsWithoutMemory(t *testing.T) {
	f := func(mode string) int64 {
		telemetry := componenttest.NewTelemetry()
		r := plainRig(t, func(cfg *Config) { cfg.Mode = mode })
		r.countInto(telemetry)
		r.p.store.Memory.Limit = 0
		r.process(r.deltas(pt{"user=1", 0, 10, 1}))
		return labelled(t, telemetry, "otelcol_cardinality_untracked_points", "outcome")["sent"]
	}
	assert.Equal(t, int64(1), f(settings.Enforce))
	assert.Equal(t, int64(1), f(settings.Audit))
}

// TestFullMemoryIsReported checks that full memory is logged, since the warning needs no
// memory.
func TestFullMemoryIsReported(t *testing.T) {
	r, logs := observedRig(t, func(cfg *Config) { cfg.Limit, cfg.ServiceLimit, cfg.MemoryLimitMib = 1<<30, 0, 1 })
	over := 0
	for i := range 50 {
		var points []pt
		for j := range 1000 { // no attribute has many values
			n := 1000*i + j
			points = append(points, pt{fmt.Sprint("a=", n%40, " b=", n/40%40, " c=", n/1600), 1, 10, 1})
		}
		over += len(overflows(r.process(r.deltas(points...))))
	}
	require.Zero(t, over) // nothing has to change
	past := logs.FilterMessage("A metric exceeds a limit of series").All()
	require.NotEmpty(t, past)
	assert.Equal(t, "memory", past[0].ContextMap()["budget"])
	assert.Equal(t, "processors:\n  cardinality:\n    memory_limit_mib: 2\n", past[0].ContextMap()["override"])
}

// TestGrownDeltaWithoutMemory checks that known deltas are processed when memory is full,
// even with more buckets: only their times are stored.
func TestGrownDeltaWithoutMemory(t *testing.T) {
	r := newRig(t, nil)
	out := r.receivers("delta_histogram")
	out.read(r.process(r.histograms(pmetric.AggregationTemporalityDelta, hist{pt{"id=1", 1, 10, nil}, nil, []float64{1}})))
	r.p.store.Memory.Limit = 0
	out.read(r.process(r.histograms(pmetric.AggregationTemporalityDelta, hist{pt{"id=1", 10, 20, nil}, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, []float64{1, 2}})))
	assert.InDelta(t, 3, out.total(), 0)
}
