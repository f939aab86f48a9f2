// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"
)

// refusing returns a processor with a next component that may refuse.
type refusing struct {
	processor.Metrics
	r    *rig
	next func(context.Context, pmetric.Metrics) error
}

func (p refusing) ConsumeMetrics(ctx context.Context, md pmetric.Metrics) error {
	out, err := p.r.p.process(ctx, md)
	if errors.Is(err, processorhelper.ErrSkipProcessingData) {
		return nil
	}
	return errors.Join(err, p.next(ctx, out))
}

// gate is a next component that refuses batches while refuse is set.
type gate struct {
	refuse bool
	got    []pmetric.Metrics
}

func (g *gate) consume(_ context.Context, md pmetric.Metrics) error {
	if g.refuse {
		return errors.New("full")
	}
	g.got = append(g.got, md)
	return nil
}

// summed returns the sum of all points.
func summed(all []pmetric.Metrics) (sum float64) {
	for _, md := range all {
		for _, p := range receive(md) {
			sum += p.is["value"]
		}
	}
	return sum
}

// taking returns the rig's processor as a pipeline calls it.
func (r *rig) taking(next func(context.Context, pmetric.Metrics) error) retried {
	return retried{refusing{r: r, next: next}, r.p}
}

// TestMemoryFullRetry checks that points without a stream count once, however often they
// are refused.
func TestMemoryFullRetry(t *testing.T) {
	r := newRig(t, nil)
	next := &gate{}
	p := r.taking(next.consume)
	require.NoError(t, p.ConsumeMetrics(t.Context(), r.deltas(pt{"id=1", 1, 5, 1})))
	r.p.store.Memory.Limit = 0
	next.refuse = true
	first := func() pmetric.Metrics { return r.deltas(pt{"id=2", 5, 10, 5}) }
	require.Error(t, p.ConsumeMetrics(t.Context(), first()))
	require.Error(t, p.ConsumeMetrics(t.Context(), first()))
	next.refuse = false
	require.NoError(t, p.ConsumeMetrics(t.Context(), first()))
	require.Equal(t, []string{`{} 1..5 1`, `{} 5..10 5`}, r.text(next.got...))
}

// TestConcurrentRefused checks that refused values are not lost if another batch comes in
// between. It waits until the first is refused.
func TestConcurrentRefused(t *testing.T) {
	r := newRig(t, nil)
	tel := componenttest.NewTelemetry()
	r.countInto(tel)
	var got []pmetric.Metrics
	var p retried
	var other sync.WaitGroup
	n := 0
	p = r.taking(func(_ context.Context, md pmetric.Metrics) error {
		if n++; n == 1 {
			other.Go(func() { assert.NoError(t, p.ConsumeMetrics(context.Background(), r.deltas(pt{"id=2", 1, 10, 7}))) })
			time.Sleep(10 * time.Millisecond)
			assert.Empty(t, got)
			return errors.New("full")
		}
		got = append(got, md)
		return nil
	})
	first := func() pmetric.Metrics { return r.deltas(pt{"id=1", 1, 10, 5}) }
	require.Error(t, p.ConsumeMetrics(t.Context(), first()))
	other.Wait()
	require.NoError(t, p.ConsumeMetrics(t.Context(), first()))
	require.NoError(t, p.ConsumeMetrics(t.Context(), r.deltas(pt{"id=1", 10, 20, 1})))
	t.Log(r.text(got...), labelled(t, tel, "otelcol_cardinality_dropped_points", "reason"))
	require.InDelta(t, 13.0, summed(got), 0)
}

// TestUnmergedRefusedThenMerged checks that refused values are not lost if their output
// was not merged then, and is merged when they are repeated.
func TestUnmergedRefusedThenMerged(t *testing.T) {
	r := newRig(t, nil)
	next := &gate{refuse: true}
	p := r.taking(next.consume)
	first := func() pmetric.Metrics { return r.deltas(pt{"route=/a", 1, 10, 5}) }
	require.Error(t, p.ConsumeMetrics(t.Context(), first()))
	next.refuse = false
	require.NoError(t, p.ConsumeMetrics(t.Context(), r.deltas(pt{"route=/a id=1", 1, 10, 7})))
	require.NoError(t, p.ConsumeMetrics(t.Context(), first()))
	require.NoError(t, p.ConsumeMetrics(t.Context(), r.deltas(pt{"route=/a", 10, 20, 1})))
	t.Log(r.text(next.got...))
	require.InDelta(t, 13.0, summed(next.got), 0)
}

// TestFinalCumulativeRefused checks that the refused last point of a counter is sent again
// when its sender repeats it.
func TestFinalCumulativeRefused(t *testing.T) {
	r := newRig(t, nil)
	next := &gate{refuse: false}
	p := r.taking(next.consume)
	require.NoError(t, p.ConsumeMetrics(t.Context(), r.counters(pt{"id=1", 1, 10, 5})))
	next.refuse = true
	last := func() pmetric.Metrics { return r.counters(pt{"id=1", 1, 20, 9}) }
	require.Error(t, p.ConsumeMetrics(t.Context(), last()))
	next.refuse = false
	require.NoError(t, p.ConsumeMetrics(t.Context(), last()))
	require.Equal(t, []string{`{} 0..10 5`, `{} 0..20.001 9`}, r.text(next.got...))
}

// TestStaleRefused checks the same for a stale marker.
func TestStaleRefused(t *testing.T) {
	r := newRig(t, nil)
	next := &gate{refuse: false}
	p := r.taking(next.consume)
	require.NoError(t, p.ConsumeMetrics(t.Context(), r.gauges(pt{"id=1", 0, 10, 5})))
	next.refuse = true
	last := func() pmetric.Metrics { return r.gauges(pt{"id=1", 0, 20, nil}) }
	require.Error(t, p.ConsumeMetrics(t.Context(), last()))
	next.refuse = false
	require.NoError(t, p.ConsumeMetrics(t.Context(), last()))
	require.Equal(t, []string{`{} ..10 5`, `{} ..20.001 stale`}, r.text(next.got...))
}

// TestTakenBackExpires checks that refused values that were never sent again are counted.
func TestTakenBackExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.MaxStale = time.Minute })
		tel := componenttest.NewTelemetry()
		r.countInto(tel)
		p := r.taking(func(context.Context, pmetric.Metrics) error { return errors.New("full") })
		time.Sleep(10 * time.Second)
		require.Error(t, p.ConsumeMetrics(t.Context(), r.deltas(pt{"id=1", 1, 10, 5})))
		time.Sleep(2 * time.Minute)
		r.expireAll()
		assert.Equal(t, map[string]int64{"refused": 1}, labelled(t, tel, "otelcol_cardinality_dropped_points", "reason"))
	})
}

// TestTakeBackAfterEnd checks that a delta that was refused with the end of its series
// leaves no gap.
func TestTakeBackAfterEnd(t *testing.T) {
	r := newRig(t, nil)
	next := &gate{refuse: false}
	p := r.taking(next.consume)
	require.NoError(t, p.ConsumeMetrics(t.Context(), r.deltas(pt{"id=1", 1, 10, 5})))
	next.refuse = true
	require.Error(t, p.ConsumeMetrics(t.Context(), r.deltas(pt{"id=1", 10, 20, 7}, pt{"id=1", 0, 21, nil})))
	next.refuse = false
	require.NoError(t, p.ConsumeMetrics(t.Context(), r.deltas(pt{"id=2", 20, 30, 1})))
	require.Equal(t, []string{`{} 1..10 5`, `{} 10..30 8`}, r.text(next.got...))
}
