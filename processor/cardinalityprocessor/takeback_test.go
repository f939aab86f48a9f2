// SPDX-License-Identifier: Apache-2.0

package cardinalityprocessor

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// TestConcurrentRefused checks that refused values are not lost if another batch comes in
// between. It waits until the first is refused.
func TestConcurrentRefused(t *testing.T) {
	r := newRig(t, nil)
	var got []pmetric.Metrics
	var p retried
	var other sync.WaitGroup
	n := 0
	p = r.taking(func(_ context.Context, md pmetric.Metrics) error {
		if n++; n == 1 {
			begin(&other, func() { assert.NoError(t, p.ConsumeMetrics(context.Background(), r.deltas(pt{"id=2", 1, 10, 7}))) })
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
	require.InDelta(t, 13.0, summed(got), 0)
}

// begin runs a sender concurrently, and gives it the processor until it waits for its turn. The tests pass also if
// it has not come that far.
func begin(senders *sync.WaitGroup, send func()) {
	started := make(chan bool)
	senders.Go(func() {
		close(started)
		send()
	})
	<-started
	for range 100 {
		runtime.Gosched()
	}
}
