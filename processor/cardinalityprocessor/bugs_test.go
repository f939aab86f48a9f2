package cardinalityprocessor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// A metric's first batch may begin with an SDK's overflow point, and near its limit.
func TestBugOverflowFirst(t *testing.T) {
	r := plainRig(t, func(cfg *Config) { cfg.Limit = 1 })
	md := r.withOverflow(r.deltas(), pt{"", 1, 10, 5})
	r.numbers(numberPoints(md), []pt{{"user=a", 1, 10, 1}, {"user=b", 1, 10, 2}, {"user=c", 1, 10, 4}})
	require.NotPanics(t, func() {
		assert.Equal(t, []string{`{otel.metric.overflow=true} 1..10 11`, `{user="a"} 1..10 1`}, r.send(md))
	})
}

// When one of several streams ends, the series says so as of then, and not as of just
// after its last point.
func TestBugTimeOfAnEnd(t *testing.T) {
	f := func(request func(*rig, ...pt) pmetric.Metrics, want string) {
		t.Helper()
		r := newRig(t, nil)
		r.send(request(r, pt{"id=1", 0, 10, 1}, pt{"id=2", 0, 11, 2}))
		assert.Equal(t, []string{want}, r.send(request(r, pt{"id=1", 0, 30, nil})))
	}
	f((*rig).updowns, `{} 0..30 2`)
	f((*rig).gauges, `{} ..30 2`)
}

// A known delta keeps flowing when memory is full: it needs none, whatever buckets it
// has now. Nothing of it is remembered but its time.
func TestBugGrownDeltaWithoutMemory(t *testing.T) {
	r := newRig(t, nil)
	out := r.receivers("delta_histogram")
	out.read(r.process(r.histograms(pmetric.AggregationTemporalityDelta, hist{pt{"id=1", 1, 10, nil}, nil, []float64{1}})))
	r.memory.limit = 0
	out.read(r.process(r.histograms(pmetric.AggregationTemporalityDelta, hist{pt{"id=1", 10, 20, nil}, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, []float64{1, 2}})))
	assert.InDelta(t, 3, out.total(), 0)
}
